// One question asked of the rules: this command, of this model, on this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/source.h"
#include "facts/host_spec.h"
#include "facts/learned.h"
#include "facts/model_spec.h"
#include "facts/serve_spec.h"
#include "facts/surroundings.h"
#include "facts/visible_devices.h"
#include "read/command.h"

namespace sx {

// Model, host and sources are owned by whoever gathered them and outlive every Case made of them,
// so that the same question can be asked again with another command at no cost.
struct Case {
  const Sources* sources = nullptr;
  const ModelSpec* model_spec = nullptr;
  const HostSpec* host_spec = nullptr;   // as the launch sees it
  const HostSpec* whole_host = nullptr;  // the machine itself; null: the same
  Command command;
  ServeSpec serve;
  Surroundings around;  // of a bare command: nothing known
  VisibleDevices visible;
  // Of a case that is asked again with another container around it: nobody else keeps that host.
  std::shared_ptr<const HostSpec> own_host;
  int launch = 0;  // which launch of the file
  bool asked_again =
      false;  // with a change that is being tried: what is wrong counts, proposals are not read
  const std::vector<Case>* all_launches = nullptr;  // the launches of the same file; null: only one
  const std::vector<LearnedRun>* learned = nullptr;  // what launches on this machine really took
  // Another model by catalogue id, for fixes that name one; null when there is none. Owned by
  // whoever gathered.
  std::function<const ModelSpec*(const std::string& id)> find_model;

  const ModelSpec& model() const { return *model_spec; }
  const HostSpec& host() const { return *host_spec; }
  const HostSpec& machine() const { return whole_host != nullptr ? *whole_host : *host_spec; }
};

}  // namespace sx
