package io.dht4j.core.internal.handoff;

import io.dht4j.spi.HintLog;
import io.dht4j.testkit.store.HintLogContract;
import java.nio.file.Path;

class MemoryHintLogTest extends HintLogContract {

    @Override
    protected HintLog open(Path directory) {
        return new MemoryHintLog(MAX_BYTES);
    }
}
