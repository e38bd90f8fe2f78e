// The account of the request that a session serves: begun with its head, filled while it goes
// through, closed once, however it ends.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/books.h"
#include "gateway/decide.h"

namespace sx {

class RequestBook {
 public:
  explicit RequestBook(Books& books) : books_(books) {}
  RequestBook(const RequestBook&) = delete;
  RequestBook& operator=(const RequestBook&) = delete;

  void begin(const RequestHead& head, std::size_t head_bytes);
  // Whether its key lets it in and has room for it. Called once its fate is known.
  std::optional<Refusal> admit(const RequestHead& head, const RequestFate& fate,
                               GatewayClock::time_point now);
  // Of the request's body, so far as its key says; 0: no limit of its own.
  std::size_t body_limit() const;
  void body(std::uint64_t bytes, bool announced);
  void model(std::size_t number) { model_ = number; }
  void routed(int replica, std::string_view why);
  void tried_in_vain() { ++record_.retries; }
  void waited(std::chrono::milliseconds time) { record_.waited = time; }
  void answers(int status, bool events);
  // Of an answer, as it goes to the client. `last`: nothing follows.
  void piece(std::string_view payload, bool last, Surface surface);
  void sent(std::size_t bytes) { record_.bytes_out += bytes; }
  void failed(std::string_view cause);  // the first one stays
  void end(const RequestHead& head, const RequestFate& fate, std::string_view model,
           GatewayClock::time_point now);

  // The client's own, where it sent one that can stand in a head and in a log; else one of ours.
  std::string_view id() const { return {id_.data(), id_size_}; }
  bool has_key() const { return hold_.use() != nullptr; }
  // That the request goes on with, as a part of ours; null: as its client has sent it.
  const TraceContext* trace() const { return trace_ ? &*trace_ : nullptr; }
  int priority() const { return has_key() ? hold_.use()->limits.priority : 0; }

 private:
  void begin_trace(const RequestHead& head);
  std::uint64_t tokens() const;

  Books& books_;
  bool begun_ = false;
  RequestRecord record_;
  std::size_t model_ = 0;
  std::uint64_t guessed_ = 0;  // tokens of its prompt
  std::array<char, 64> id_{};
  std::size_t id_size_ = 0;
  KeyHold hold_;
  std::optional<TraceContext> trace_;  // that is ours to go on with, kept or not
  std::unique_ptr<AnswerTail> tail_;   // only of an answer in several pieces
};

}  // namespace sx
