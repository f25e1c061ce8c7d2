package io.dht4j.store.mvstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Remembers out of which arrays larger pieces of the map were written, and how much. */
final class MapBuffers extends Disk {

    final AtomicLong written = new AtomicLong();
    final Set<byte[]> seen = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    @Override
    void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
        super.write(file, path, bytes, from, length);
        written.addAndGet(length);
        if (FailingDisk.isMap(path) && bytes.length > 1 << 16) {
            seen.add(bytes);
        }
    }
}
