package io.dht4j.topology.microraft;

import io.dht4j.spi.TopologyLog;
import io.dht4j.testkit.topology.TopologyLogContract;
import io.dht4j.testkit.topology.TopologyMember;

class MicroRaftContractTest extends TopologyLogContract {

    @Override
    protected TopologyLog open(Object group, TopologyMember member) {
        MicroRaftOptions options = MicroRaftOptions.of(member.self(), member.initialMembers(), member.directory())
                .withSnapshotEntries(snapshotCommands());
        return MicroRaftTopologyLog.open(options, member.environment());
    }
}
