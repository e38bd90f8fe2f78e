// Reading the plan.
#include "fake_engine/plan.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace fake {
namespace {

constexpr std::array<std::string_view, 18> kVerbs{
    "crash",       "signal",    "exit0",  "stall",     "wedge",     "deaf",
    "sick",        "slow",      "drip",   "flood",     "bad-sse",   "busy",
    "ignore-term", "slow-term", "orphan", "port-late", "bind-late", "gate"};

[[noreturn]] void refuse(const std::string& step) {
  std::fprintf(stderr, "fake_engine: FAKE_ENGINE_PLAN has a step that means nothing: %s\n",
               step.c_str());
  std::_Exit(64);
}

Step step_of(const std::string& text) {
  std::istringstream words(text);
  std::string head, more;
  words >> head;
  Step step;
  if (const auto equals = head.find('='); equals != std::string::npos) {
    step.value = head.substr(equals + 1);
    head.erase(equals);
  }
  if (const auto at = head.find('@'); at != std::string::npos) {
    step.at = head.substr(at + 1);
    head.erase(at);
  }
  if (const auto plus = step.at.find('+'); plus != std::string::npos) {
    step.after = time_of(step.at.substr(plus + 1));
    step.at.erase(plus);
  }
  step.verb = head;
  bool known = false;
  for (const std::string_view verb : kVerbs) known = known || verb == head;
  if (!known) refuse(text);
  while (words >> more) {
    const auto equals = more.find('=');
    if (equals == std::string::npos) refuse(text);
    step.more[more.substr(0, equals)] = more.substr(equals + 1);
  }
  return step;
}

}  // namespace

std::string Step::key(const std::string& name, const std::string& otherwise) const {
  const auto found = more.find(name);
  return found == more.end() ? otherwise : found->second;
}

int Step::number(const std::string& name, int otherwise) const {
  const std::string text = key(name, "");
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

std::vector<Step> plan_of(const std::string& text, int starts) {
  std::vector<Step> plan;
  std::istringstream steps(text);
  for (std::string one; std::getline(steps, one, ';');) {
    if (one.find_first_not_of(' ') == std::string::npos) continue;
    Step step = step_of(one);
    if (const int times = step.number("times", 0); times > 0 && starts > times) continue;
    plan.push_back(std::move(step));
  }
  return plan;
}

std::chrono::milliseconds time_of(const std::string& text) {
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  const std::string_view unit(rest);
  const double factor = unit == "s" ? 1000 : unit == "m" ? 60'000 : 1;
  return std::chrono::milliseconds(static_cast<long>(number * factor));
}

double bytes_of(const std::string& text) {
  char* rest = nullptr;
  const double number = std::strtod(text.c_str(), &rest);
  switch (*rest) {
    case 'k':
      return number * 1e3;
    case 'M':
      return number * 1e6;
    case 'G':
      return number * 1e9;
    default:
      return number;
  }
}

const Step* find_step(const std::vector<Step>& plan, const std::string& verb) {
  for (const Step& step : plan) {
    if (step.verb == verb) return &step;
  }
  return nullptr;
}

}  // namespace fake
