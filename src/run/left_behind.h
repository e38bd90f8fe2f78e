// What an earlier daemon left running in a replica's folder, found even where the records of it are
// lost or damaged: one that is not found would hold the GPUs and the port for ever.
#pragma once

#include <optional>

#include "run/aftermath.h"
#include "run/replica_files.h"

namespace sx {

// What a link leads to is not ours, and what it says of marks and groups is nobody's.
bool is_own_folder(const std::string& path);

// By the keeper's own word over its socket or, where it is gone or silent, by its record.
std::optional<KeeperRecord> left_behind(const ReplicaFiles& files);

// What its keeper was told to start; empty words where that cannot be read.
EngineLaunch launch_in(const ReplicaFiles& files);

// With those that the keeper saw last of that start.
ReleaseAsk with_family(ReleaseAsk ask, Attempt of, const ReplicaFiles& files);

// Ends keepers of this folder and all that carries their mark, and takes their records away. True:
// something ran.
bool end_left_behind(const ReplicaFiles& files);
// The same for every replica below the folder of a deployment, and for its relay.
bool end_all_left_behind(const std::string& folder);

}  // namespace sx
