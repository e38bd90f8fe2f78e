// The tokens in a stream of events as engines send them: how many so far, and what the end said.
#pragma once

#include <string>
#include <string_view>

namespace sx {

class TokenStream {
 public:
  // Bytes of the body, in pieces of any size. How many events with text were in them.
  int feed(std::string_view bytes);
  bool done() const { return done_; }
  const std::string& error() const { return error_; }   // what the stream itself says went wrong
  int prompt_tokens() const { return prompt_tokens_; }  // -1: not told
  int output_tokens() const { return output_tokens_; }

 private:
  bool take(std::string_view line);  // true: an event with text

  std::string rest_;
  bool done_ = false, too_long_ = false;
  std::string error_;
  int prompt_tokens_ = -1, output_tokens_ = -1;
};

}  // namespace sx
