package io.dht4j.store.mvstore.internal.map;

import io.dht4j.store.disk.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** A disk that records the larger arrays out of which the map was written, and how many bytes. */
public final class MapBuffers extends Disk {

    public final AtomicLong written = new AtomicLong();
    public final Set<byte[]> seen = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    @Override
    public void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
        super.write(file, path, bytes, from, length);
        written.addAndGet(length);
        if (String.valueOf(path.getFileName()).startsWith("data.mv") && bytes.length > 1 << 16) {
            seen.add(bytes);
        }
    }
}
