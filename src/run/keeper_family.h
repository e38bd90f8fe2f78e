// All processes of one start, as its keeper holds them: in a control group where one may be made;
// otherwise by their mark, by what comes home to the keeper, and by a list of their descent.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "sys/process_identity.h"

namespace sx {

class KeeperFamily {
 public:
  // Called in the keeper, before the engine is started. `group`: to be made; empty: none may be.
  KeeperFamily(std::string mark, std::string group);

  int door() const { return door_.get(); }  // of the group, for SpawnAsk
  void begin(const ProcessIdentity& engine);
  const std::string& group() const { return group_; }  // empty: no group holds them

  // Where no group does: looks who came of the engine. True: others than at the last look.
  bool look();
  const std::vector<ProcessIdentity>& seen() const { return seen_; }

  std::vector<ProcessIdentity> left() const;  // those that still run
  void kill() const;
  void end() const;  // nobody is left: the group goes

 private:
  std::string mark_, group_;
  UniqueFd door_;
  ProcessIdentity us_;
  std::vector<ProcessIdentity> seen_;
};

}  // namespace sx
