// One step with the client of OpenAI for Node, told as a line of JSON: FOLDER BASE STEP MODEL.
import { createRequire } from 'node:module';

const [folder, base, step, model] = process.argv.slice(2);
const OpenAI = createRequire(folder + '/')('openai');
const client = new OpenAI({ baseURL: base + '/v1', apiKey: 'sk-client', maxRetries: 0, timeout: 60000 });
const ask = (words, more) => client.chat.completions.create({ model, messages: [{ role: 'user', content: words }], max_tokens: 40, ...more });
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { town: { type: 'string' } } } } }];

async function run() {
  if (step === 'models') return (await client.models.list()).data.map((one) => one.id).sort();
  if (step === 'tool') {
    const call = (await ask('tool', { tools })).choices[0].message.tool_calls[0];
    return [call.function.name, call.function.arguments];
  }
  if (step === 'leave') {
    const stream = await ask('slow', { stream: true });
    let count = 0;
    for await (const piece of stream) if (++count === 3) break; // it aborts the request
    return count;
  }
  if (step.startsWith('stream')) {
    const pieces = [];
    for await (const piece of await ask(step, { stream: true })) if (piece.choices.length) pieces.push(piece);
    return [pieces.length, pieces.at(-1).choices[0].finish_reason];
  }
  const answer = await ask(step);
  return [answer.choices.length, answer.choices[0].finish_reason];
}

let told;
try {
  told = await run();
} catch (error) {
  told = { status: error.status ?? null, code: error.code ?? null, message: error.message, type: error.constructor.name };
}
console.log(JSON.stringify(told));
