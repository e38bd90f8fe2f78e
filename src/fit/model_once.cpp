// A list of those that live, newest first: a question has a few models at most.
#include "fit/model_once.h"

namespace sx {
namespace {

// Searches do not cross threads.
thread_local ModelOnce* newest = nullptr;

}  // namespace

WeightsKey::WeightsKey(const WeightsAsk& ask)
    : tensor(ask.layout.tensor),
      data(ask.layout.data),
      prefill_context(ask.layout.prefill_context),
      expert(ask.layout.expert),
      without_vision(ask.without_vision),
      whole_vision_tower(ask.whole_vision_tower),
      over_data(ask.experts_over_data),
      latent_products(ask.latent_products),
      dtype_bytes(ask.dtype_bytes),
      vocabulary_padding(ask.vocabulary_padding),
      attention_ranks(ask.attention_ranks),
      capability(ask.capability),
      quantization_flag(ask.quantization_flag) {}

ModelOnce::ModelOnce(const ModelSpec& model) : model_(model) {
  if (of(model) != nullptr) return;
  before_ = newest;
  newest = this;
  asked_ = true;
}

ModelOnce::~ModelOnce() {
  if (!asked_) return;
  ModelOnce** link = &newest;
  while (*link != this) link = &(*link)->before_;
  *link = before_;
}

ModelOnce* ModelOnce::of(const ModelSpec& model) {
  for (ModelOnce* one = newest; one != nullptr; one = one->before_) {
    if (&one->model_ == &model) return one;
  }
  return nullptr;
}

}  // namespace sx
