// What is to go wrong, when: FAKE_ENGINE_PLAN.
//
//   STEP; STEP …     STEP: VERB[@MOMENT[+DELAY]][=VALUE] [KEY=VALUE …]
//
// MOMENT is a stage of the start (start dist load compile kv capture sampler ready), `answered`,
// once its first request has been, or `request`; VALUE is the number of a request, of a signal, or
// a rate or time. A step acts in every start, or with times=N in the first N starts made in this
// working folder.
//
//   crash@load code=1 log=oom-weights   ends there with that code and those last words
//   signal@capture=9                    ends there by that signal
//   exit0@ready+2s log=engine-dead      ends with 0 although nobody asked, as vLLM does
//   crash@request=3 tokens=2            in that request, after so many tokens; also signal, exit0
//   stall@load                          says and does nothing more
//   gate@load                           at the end of that stage, and before it fails in it, waits
//                                       until a file open.load lies in its working folder;
//                                       gate@bind before it takes its port; gate@request=2 half way
//                                       through the answer to that request and to those after it
//   wedge@request=3                     from then on no request is answered; health stays 200
//   deaf@answered+1s                    accepts and never answers anything; sick@…: health is 500
//   drip=30s                            one token in so long; slow=200ms is the same word
//   port-late=2s                        listens so much later than its log says
//   bind-late=2s                        takes its port so much later: somebody may be quicker
//   flood@ready=100MB/s                 log lines at that rate; all=500MB: so many in all
//   bad-sse=KIND                        no-blank-line split-utf8 huge no-done error reset
//   busy=429 retry-after=1              answers every request with that status
//   ignore-term, slow-term=5s           asked to end, it does not, or that late
//   orphan[=port]                       leaves a process behind, which may hold its port
//   orphan=bare                         one with no environment, session or parent of its own
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fake {

struct Step {
  std::string verb;
  std::string at;  // "load", "request"; empty: from the beginning
  std::chrono::milliseconds after{0};
  std::string value;
  std::map<std::string, std::string> more;

  std::string key(const std::string& name, const std::string& otherwise) const;
  int number(const std::string& name, int otherwise) const;
};

// Steps of this start; `starts`: how many there were in this folder, with this one. A plan that
// cannot be read ends the program: a test that asks for nothing must not pass.
std::vector<Step> plan_of(const std::string& text, int starts);

// "250ms", "2s", "1m", or bare milliseconds.
std::chrono::milliseconds time_of(const std::string& text);
// "100MB", "4k", or bare bytes; "/s" behind it is allowed.
double bytes_of(const std::string& text);

const Step* find_step(const std::vector<Step>& plan, const std::string& verb);

}  // namespace fake
