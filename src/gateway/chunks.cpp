// A state a byte for the frame, whole runs for the payload.
#include "gateway/chunks.h"

#include <algorithm>
#include <cstring>

namespace sx {
namespace {

constexpr int kMostDigits = 15;              // far more than any engine sends, and no overflow
constexpr std::size_t kMostExtension = 256;  // nobody uses them
constexpr std::size_t kMostTrailers = 8192;  // as much as a small head

int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 32);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

void ChunkReader::step(char c) {
  using enum State;
  const auto expect = [&](char wanted, State next) { state_ = c == wanted ? next : Broken; };
  switch (state_) {
    case Size:
      if (const int digit = hex_of(c); digit >= 0) {
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        if (++digits_ > kMostDigits) state_ = Broken;
      } else if (digits_ == 0) {
        state_ = Broken;
      } else if (c == ';' || c == ' ' || c == '\t') {
        line_ = 0;
        state_ = Extension;
      } else {
        expect('\r', SizeEnd);
      }
      return;
    case Extension:
      if (c == '\r')
        state_ = SizeEnd;
      else if (c == '\n' || c == '\0' || ++line_ > kMostExtension)
        state_ = Broken;
      return;
    case SizeEnd:
      line_ = 0;
      return expect('\n', left_ > 0 ? Payload : LineStart);
    case PayloadReturn:
      return expect('\r', PayloadEnd);
    case PayloadEnd:
      left_ = 0;
      digits_ = 0;
      return expect('\n', Size);
    case LineStart:
      if (c == '\r') {
        state_ = LastEnd;
        return;
      }
      state_ = Trailer;
      [[fallthrough]];
    case Trailer:
      if (c == '\r')
        state_ = TrailerEnd;
      else if (c == '\n' || c == '\0' || ++line_ > kMostTrailers)
        state_ = Broken;
      return;
    case TrailerEnd:
      return expect('\n', LineStart);
    case LastEnd:
      return expect('\n', Done);
    case Payload:
    case Done:
    case Broken:
      return;
  }
}

ChunkReader::Piece ChunkReader::read(std::span<char> bytes) {
  Piece piece;
  std::size_t at = 0;
  while (at < bytes.size() && !done() && !broken()) {
    if (state_ != State::Payload) {
      step(bytes[at++]);
      continue;
    }
    const std::size_t run =
        static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - at));
    if (piece.payload == 0) {
      piece.at = at;  // the usual case: one run, nothing is moved
    } else {
      std::memmove(bytes.data() + piece.at + piece.payload, bytes.data() + at, run);
    }
    piece.payload += run;
    at += run;
    left_ -= run;
    if (left_ == 0) state_ = State::PayloadReturn;
  }
  piece.used = at;
  return piece;
}

}  // namespace sx
