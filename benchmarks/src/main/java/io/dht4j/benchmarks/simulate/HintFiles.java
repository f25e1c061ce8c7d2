package io.dht4j.benchmarks.simulate;

import io.dht4j.NodeId;
import io.dht4j.simulator.HintLogs;
import io.dht4j.spi.HintLog;
import io.dht4j.store.hints.FileHintLog;

/** The hints of one simulation, in real files of a temporary directory. */
final class HintFiles implements HintLogs, AutoCloseable {

    private final TemporaryDirectory directory = new TemporaryDirectory();

    @Override
    public HintLog open(NodeId node) {
        return FileHintLog.open(directory.path().resolve(node.value()), FileHintLog.MIN_BYTES);
    }

    /** Deletes the files. */
    @Override
    public void close() {
        directory.close();
    }
}
