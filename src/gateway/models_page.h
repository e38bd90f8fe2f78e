// What /v1/models says: every model and every other name for one, with how it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sx {

struct ServedModel {
  std::string name;
  std::string alias_of;  // empty: it is a model's own name
  int replicas = 0;      // that may serve it
  int taking = 0;        // new requests, of those
  bool coming = false;   // one of it starts or comes back
};

std::string models_page(const std::vector<ServedModel>& models);
std::string model_page(const ServedModel& model);

}  // namespace sx
