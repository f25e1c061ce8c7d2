package io.dht4j.benchmarks.simulate;

import io.dht4j.spi.Environment;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogFactory;
import io.dht4j.topology.microraft.MicroRaftOptions;
import io.dht4j.topology.microraft.MicroRaftTopologyLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The topology logs of one simulation, over MicroRaft, in real files of a temporary directory. */
final class RaftFiles implements TopologyLogFactory, AutoCloseable {

    private final TemporaryDirectory directory = new TemporaryDirectory();
    /** The last log of each node; a killed process has not closed its own. */
    private final Map<NodeRef, TopologyLog> opened = new HashMap<>();

    @Override
    public TopologyLog open(NodeRef self, List<NodeRef> initialMembers, Environment environment) {
        TopologyLog before = opened.remove(self);
        if (before != null) {
            before.close();
        }
        MicroRaftOptions options = MicroRaftOptions.of(
                self,
                initialMembers,
                directory.path().resolve(self.incarnation().toString()));
        TopologyLog log = MicroRaftTopologyLog.open(options, environment);
        opened.put(self, log);
        return log;
    }

    /** Closes the logs and deletes the files. */
    @Override
    public void close() {
        opened.values().forEach(TopologyLog::close);
        directory.close();
    }
}
