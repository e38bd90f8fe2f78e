// The bytes of a log as text in UTF-8, whatever they lay in: gzip, UTF-16 with a byte-order mark
// (as PowerShell writes), or plain.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sx {

class LogDecoder {
 public:
  using Take = std::function<void(std::string_view text)>;
  explicit LogDecoder(Take take);
  LogDecoder(LogDecoder&&) noexcept;
  LogDecoder& operator=(LogDecoder&&) noexcept;
  ~LogDecoder();

  void feed(std::string_view bytes);
  void end();
  // The packed bytes were damaged or ended too early: what came before was read.
  bool damaged() const { return damaged_; }

 private:
  enum class Kind { Undecided, Plain, Utf16Low, Utf16High, Gzip };
  struct Unpacker;

  void decide();
  void pass(std::string_view bytes);
  void from_utf16(std::string_view bytes);
  void unpack(std::string_view bytes);
  void unit(unsigned value);

  Take take_;
  Kind kind_ = Kind::Undecided;
  std::string first_;  // until it is clear what it is
  std::string text_;
  unsigned surrogate_ = 0;
  int half_ = -1;  // the first byte of a unit whose second has not come
  bool damaged_ = false;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace sx
