// What one GPU can do at best, and the laws of how much of that kernels reach.
#pragma once

#include <expected>

#include "diag/message.h"
#include "facts/host_spec.h"
#include "knowledge/speed_cards.h"
#include "knowledge/speed_laws.h"

namespace sx {

struct CardSpeed {
  const GpuKind* kind = nullptr;
  SpeedCard card;
  double bf16 = 0, fp8 = 0, fp4 = 0;  // operations a second; 0: no units for the format
  double memory = 0;                  // bytes a second
  const GemmLaw* bf16_law = nullptr;
  const GemmLaw* fp8_law = nullptr;  // null: products of this format run in 16 bit
  const GemmLaw* fp4_law = nullptr;
  const AttentionLaw* attention = nullptr;
};

// Or why there is none: no name, a card not in the catalogue, a rate or a peak not known.
std::expected<CardSpeed, Message> card_speed(const Gpu& gpu, double kv_element);

// The same card if every kernel reached its peaks: nothing is faster.
CardSpeed ideal(CardSpeed card);

}  // namespace sx
