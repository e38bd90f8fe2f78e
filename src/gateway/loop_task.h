// A coroutine of the relay's loop. It begins when it is awaited and goes on with whoever awaited
// it; its memory comes from a shelf of earlier ones. Asio's own would put a second coroutine around
// every read and write, and look for its thread at each step: a fifth of what a short request
// costs.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace sx {

template <class T>
class LoopTask;

namespace loop_detail {

void* take_frame(std::size_t size);
void give_frame(void* frame, std::size_t size) noexcept;

struct PromiseBase {
  std::coroutine_handle<> awaited_by;
  std::exception_ptr trouble;  // memory that was not there: ours have none

  static void* operator new(std::size_t size) { return take_frame(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { give_frame(frame, size); }

  struct End {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().awaited_by;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  End final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { trouble = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;

  LoopTask<T> get_return_object() noexcept;
  void return_value(T given) { value.emplace(std::move(given)); }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  LoopTask<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace loop_detail

template <class T = void>
class [[nodiscard]] LoopTask {
 public:
  using promise_type = loop_detail::Promise<T>;

  explicit LoopTask(std::coroutine_handle<promise_type> frame) : frame_(frame) {}
  LoopTask(LoopTask&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  LoopTask& operator=(LoopTask&&) = delete;
  ~LoopTask() {
    if (frame_) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waits) const noexcept {
    frame_.promise().awaited_by = waits;
    return frame_;
  }
  T await_resume() const {
    if (frame_.promise().trouble) std::rethrow_exception(frame_.promise().trouble);
    return frame_.promise().take();
  }

 private:
  std::coroutine_handle<promise_type> frame_;
};

namespace loop_detail {

template <class T>
LoopTask<T> Promise<T>::get_return_object() noexcept {
  return LoopTask<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline LoopTask<void> Promise<void>::get_return_object() noexcept {
  return LoopTask<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace loop_detail

// The outermost one: nobody awaits it. It begins at once and frees itself at its end; whoever keeps
// its handle may destroy it before, while it waits.
struct LoopRoot {
  struct promise_type {
    static void* operator new(std::size_t size) { return loop_detail::take_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept {
      loop_detail::give_frame(frame, size);
    }
    LoopRoot get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

}  // namespace sx
