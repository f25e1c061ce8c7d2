package io.dht4j.testkit.topology;

import io.dht4j.spi.TopologyLog;
import java.util.IdentityHashMap;
import java.util.Map;

class ModelTopologyLogTest extends TopologyLogContract {

    private final Map<Object, ModelTopologyGroup> groups = new IdentityHashMap<>();

    @Override
    protected TopologyLog open(Object group, TopologyMember member) {
        ModelTopologyGroup shared = groups.computeIfAbsent(
                group, any -> new ModelTopologyGroup(member.initialMembers(), snapshotCommands()));
        return new ModelTopologyLog(shared, member.self(), member.environment());
    }
}
