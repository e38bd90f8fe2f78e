// A body in chunks, piece by piece as it comes: the payload is closed up in place, the frame around
// it is held to the letter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sx {

class ChunkReader {
 public:
  struct Piece {
    std::size_t at = 0;       // where the payload now lies in the bytes
    std::size_t payload = 0;  // how much of it
    std::size_t used = 0;     // bytes taken; fewer than given only once it is done
  };
  Piece read(std::span<char> bytes);
  bool done() const { return state_ == State::Done; }
  bool broken() const { return state_ == State::Broken; }

 private:
  enum class State {
    Size,
    Extension,
    SizeEnd,
    Payload,
    PayloadReturn,
    PayloadEnd,
    LineStart,
    Trailer,
    TrailerEnd,
    LastEnd,
    Done,
    Broken
  };
  void step(char c);

  State state_ = State::Size;
  std::uint64_t left_ = 0;
  int digits_ = 0;
  std::size_t line_ = 0;  // bytes of extension or trailers so far
};

}  // namespace sx
