// What the requests of one conversation have in common, and names put into bodies.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "gateway/affinity.h"
#include "gateway/body_keys.h"

namespace sx {
namespace {

std::uint64_t key_of(const std::string& body, Surface surface = Surface::OpenAi) {
  return conversation_key(body, find_body_keys(body), surface).whole;
}

std::string chat(const std::string& turns, const std::string& more = "") {
  return R"({"model":"m","messages":[{"role":"system","content":"Be brief."},)" + turns + "]" +
         more + "}";
}
const std::string kFirst = R"({"role":"user","content":"Why is the sky blue?"})";
const std::string kLater =
    R"(,{"role":"assistant","content":"Scattering."},{"role":"user","content":"And red?"})";

TEST(ConversationKey, StaysAsAConversationGrows) {
  const auto key = key_of(chat(kFirst));
  EXPECT_NE(key, 0U);
  EXPECT_EQ(key_of(chat(kFirst + kLater)), key);
  EXPECT_EQ(key_of(chat(kFirst + kLater, R"(,"temperature":0.1,"stream":true)")), key);
}

TEST(ConversationKey, DiffersByTheFirstQuestionAndByWhatStandsBeforeIt) {
  const auto key = key_of(chat(kFirst));
  EXPECT_NE(key_of(chat(R"({"role":"user","content":"Why is the sky grey?"})")), key);
  EXPECT_NE(key_of(R"({"messages":[{"role":"system","content":"Be long."},)" + kFirst + "]}"), key);
  EXPECT_NE(key_of(R"({"messages":[)" + kFirst + "]}"), key);
}

TEST(ConversationKey, LongInstructionsDoNotHideTheQuestion) {
  const std::string system = R"({"role":"system","content":")" + std::string(9000, 'x') + "\"},";
  const auto ask = [&](const std::string& question) {
    return key_of(R"({"messages":[)" + system + R"({"content":")" + question +
                  R"(","role":"user"}]})");
  };
  EXPECT_NE(ask("one"), ask("two"));
  // One document, many questions about it: worth keeping together.
  const std::string document(3000, 'd');
  EXPECT_EQ(ask(document + "one?"), ask(document + "two?"));
}

TEST(ConversationKey, LongInstructionsOrderTheReplicas) {
  const auto order = [](const std::string& system, const std::string& question) {
    const std::string body = R"({"messages":[{"role":"system","content":")" + system +
                             R"("},{"role":"user","content":")" + question + R"("}]})";
    return conversation_key(body, find_body_keys(body), Surface::OpenAi).order;
  };
  const std::string long_one(4000, 'x');
  EXPECT_EQ(order(long_one, "one"), order(long_one, "two"));
  EXPECT_NE(order(long_one, "one"), order("y" + long_one, "one"));
  EXPECT_NE(order("short", "one"), order("short", "two"));
}

TEST(ConversationKey, DoesNotDependOnMarksBesideTheText) {
  const auto with = key_of(chat(
      R"({"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]})"));
  EXPECT_EQ(with, key_of(chat(R"({"role":"user","content":[{"type":"text","text":"a"}]})")));
  EXPECT_NE(with, key_of(chat(R"({"role":"user","content":[{"type":"text","text":"b"}]})")));
}

TEST(ConversationKey, OfEveryApi) {
  const std::string anthropic =
      R"({"system":"Be brief.","messages":[{"role":"user","content":"a"}]})";
  EXPECT_NE(key_of(anthropic, Surface::Anthropic), 0U);
  EXPECT_NE(key_of(anthropic, Surface::Anthropic),
            key_of(R"({"system":"Be long.","messages":[{"role":"user","content":"a"}]})"));
  const auto text = key_of(R"({"input":"a","instructions":"i"})", Surface::Responses);
  EXPECT_NE(text, 0U);
  EXPECT_NE(text, key_of(R"({"input":"b","instructions":"i"})", Surface::Responses));
  EXPECT_NE(text, key_of(R"({"input":"a","instructions":"j"})", Surface::Responses));
  EXPECT_NE(key_of(R"({"input":[{"role":"user","content":"a"}]})", Surface::Responses), 0U);
  EXPECT_NE(key_of(R"({"prompt":"a"})"), key_of(R"({"prompt":"b"})"));
  EXPECT_NE(key_of(R"({"prompt":[1,2,3]})"), key_of(R"({"prompt":[1,2,4]})"));
  // Nothing here is read again: embeddings, scores.
  EXPECT_EQ(key_of(R"({"input":"a"})"), 0U);
  EXPECT_EQ(key_of(R"({"query":"a","documents":["b"]})"), 0U);
}

TEST(ConversationKey, TakesWhateverComes) {
  for (const std::string odd : {R"({"messages":[]})", R"({"messages":{}})", R"({"messages":"x"})",
                                R"({"messages":[1,[],"x"]})", R"({"messages":[{"role":"user"}]})",
                                R"({"messages":[{}, {"content":[]}]})"})
    EXPECT_EQ(key_of(odd), key_of(odd)) << odd;
}

std::string with_model(std::string body, const std::string& model) {
  put_model(body, find_body_keys(body), model);
  return body;
}

TEST(PutModel, ReplacesTheOneThatCounts) {
  EXPECT_EQ(with_model(R"({ "model" : "a" , "x":1})", "bb"), R"({ "model" : "bb" , "x":1})");
  EXPECT_EQ(with_model(R"({"model":"a","n":[1],"mod\u0065l":"\u0061"})", "b"),
            R"({"model":"a","n":[1],"mod\u0065l":"b"})");
}

TEST(PutModel, PutsOneInFrontWhereThereIsNone) {
  EXPECT_EQ(with_model(R"( {"x":1})", "b"), R"( {"model":"b","x":1})");
  EXPECT_EQ(with_model("{ }", "b"), R"({"model":"b" })");
}

TEST(PutModel, WritesAnyNameAsJson) {
  const std::string odd = "a\"b\\c\n\x01é";
  const auto whole = boost::json::parse(with_model(R"({"messages":[],"model":"x"})", odd));
  EXPECT_EQ(whole.at("model").as_string(), odd);
}

TEST(PutModel, IntoAForm) {
  std::string form =
      "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper\r\n--b--\r\n";
  const auto place = find_form_model(form);
  ASSERT_TRUE(place);
  put_form_model(form, *place, "other-name");
  EXPECT_EQ(model_of_form(form), "other-name");
  EXPECT_TRUE(form.ends_with("other-name\r\n--b--\r\n"));
}

TEST(Answers, HaveAnIdInFront) {
  EXPECT_EQ(answer_id(R"({"id":"resp_1","object":"response")"), "resp_1");
  EXPECT_EQ(answer_id(R"(data: {"type":"response.created","response":{"id" : "resp_2","x")"),
            "resp_2");
  for (const char* const none : {"", "{}", R"({"id":7})", R"({"id":"cut)", R"({"id")", R"("id":)"})
    EXPECT_EQ(answer_id(none), "") << none;
  const std::string body = R"({"previous_response_id":"resp_9"})";
  EXPECT_EQ(previous_answer(body, find_body_keys(body)), "resp_9");
  EXPECT_EQ(previous_answer("{}", find_body_keys("{}")), "");
  const std::string null = R"({"previous_response_id":null})";
  EXPECT_EQ(previous_answer(null, find_body_keys(null)), "");
}

// The front of a turn that says its role first is read alone; any other turn is read whole.
TEST(ConversationKey, OrderAndLengthOfATurnsKeysChangeNothing) {
  for (const std::size_t length :
       {0U, 1U, 500U, 1536U, 2045U, 2046U, 2047U, 2048U, 2100U, 70'000U}) {
    for (const char* piece : {"x", R"(\")", R"(\\)", "\xc3\xa9"}) {
      std::string text;
      while (text.size() < length) text += piece;
      const auto turn = [&](std::string_view front, std::string_view back) {
        return key_of(R"({"messages":[{"role":"system","content":"s"},{)" + std::string(front) +
                      R"("content":")" + text + '"' + std::string(back) + R"(},{"role":"user"}]})");
      };
      const auto key = turn("", R"(,"role":"user")");
      EXPECT_NE(key, 0U);
      EXPECT_EQ(turn(R"("role":"user",)", ""), key) << length << piece;
      EXPECT_EQ(turn(R"( "name" : "a,}" , "role" : "user" , )", R"(,"id":1)"), key) << length;
      EXPECT_EQ(turn(R"("name":")" + std::string(600, 'n') + R"(","role":"user",)", ""), key);
      EXPECT_NE(turn(R"("role":"tool",)", ""), key) << length;
    }
  }
}

}  // namespace
}  // namespace sx
