// What of Asio the relay uses: timers, for things that are rare, in one thread, so no strands and
// no locks; and how a coroutine awaits what Asio does. Connections have a loop of their own.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <tuple>

#include "gateway/loop_socket.h"
#include "gateway/loop_task.h"

namespace sx {

// For the loop of a relay: nothing of it is touched by another thread, so Asio needs no locks.
inline constexpr int kOneThread = BOOST_ASIO_CONCURRENCY_HINT_UNSAFE;

using LoopExecutor = boost::asio::io_context::executor_type;

// In the place of a handler: co_await tells what the handler would have been given, errors as
// values.
struct LoopAwait {};
inline constexpr LoopAwait kAwait{};

// An operation that begins when it is awaited. It lives in the frame of the coroutine that waits.
template <class Initiation, class Init, class... Told>
class LoopOperation {
 public:
  LoopOperation(Initiation initiation, Init init)
      : initiation_(std::move(initiation)), init_(std::move(init)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waits) {
    waits_ = waits;
    const auto begin = [&](auto&... each) {
      std::move(initiation_)(Handler{this}, std::move(each)...);
    };
    std::apply(begin, init_);
  }
  std::tuple<Told...> await_resume() { return std::move(*told_); }

 private:
  struct Handler {
    LoopOperation* operation;
    void operator()(Told... told) const {
      operation->told_.emplace(std::move(told)...);
      operation->waits_.resume();
    }
  };

  Initiation initiation_;
  Init init_;
  std::coroutine_handle<> waits_;
  std::optional<std::tuple<Told...>> told_;
};

}  // namespace sx

template <class R, class... Told>
class boost::asio::async_result<sx::LoopAwait, R(Told...)> {
 public:
  template <class Initiation, class... Init>
  static auto initiate(Initiation&& initiation, sx::LoopAwait, Init&&... init) {
    using Kept = std::tuple<std::decay_t<Init>...>;
    return sx::LoopOperation<std::decay_t<Initiation>, Kept, std::decay_t<Told>...>(
        std::forward<Initiation>(initiation), Kept(std::forward<Init>(init)...));
  }
};
