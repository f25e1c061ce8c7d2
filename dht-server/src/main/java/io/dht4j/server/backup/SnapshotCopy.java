package io.dht4j.server.backup;

import io.dht4j.AtomicMap;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.Item;
import io.dht4j.server.client.ItemFormat;
import io.dht4j.server.client.LineReader;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Copies a snapshot from the cluster to a directory. When a node fails in the middle, another one continues after the
 * last key: every node knows the snapshot. Blocks; for one thread.
 */
public final class SnapshotCopy {

    private static final int ATTEMPTS = 6;

    private final DhtClient client;
    private final Version snapshot;
    private final AskedPolicy policy;
    private final SnapshotWriter writer;
    /** The next key of the range that is copied; empty if it cannot have one. */
    private Optional<Key> position = Optional.empty();

    private long entries;

    /**
     * Creates a copy that has not begun.
     *
     * @param client how to reach the cluster
     * @param snapshot the version of an open snapshot
     * @param policy how many replicas must return each key
     * @param writer where the entries go
     */
    public SnapshotCopy(DhtClient client, Version snapshot, AskedPolicy policy, SnapshotWriter writer) {
        this.client = client;
        this.snapshot = snapshot;
        this.policy = policy;
        this.writer = writer;
    }

    /**
     * Copies all entries.
     *
     * @param progress receives the number of entries copied so far
     * @throws IOException if the directory cannot be written
     * @throws ClientException if the cluster does not return the snapshot
     * @throws InterruptedException if the thread was interrupted
     */
    public void run(LongConsumer progress) throws IOException, ClientException, InterruptedException {
        Key atomic = AtomicMap.KEYS.start();
        // A scan shows atomic keys only if it begins among them.
        copy(KeyRange.between(KeyRange.all().start(), atomic), progress);
        copy(AtomicMap.KEYS, progress);
        copy(KeyRange.from(AtomicMap.KEYS.end().orElseThrow()), progress);
    }

    private void copy(KeyRange range, LongConsumer progress) throws IOException, ClientException, InterruptedException {
        position = Optional.of(range.start());
        int attempt = 1;
        while (position.isPresent()) {
            long before = entries;
            try {
                copyFrom(new KeyRange(position.get(), range.end()), progress);
                return;
            } catch (ClientException e) {
                attempt = entries > before ? 1 : attempt + 1;
                if (!e.isWorthRepeating() || attempt > ATTEMPTS) {
                    throw e;
                }
                Thread.sleep(BackOff.pause(attempt, Duration.ZERO).toMillis());
            }
        }
    }

    private void copyFrom(KeyRange rest, LongConsumer progress) throws IOException, ClientException {
        try (InputStream scan = BackOff.whileOverloaded(() -> client.scanSnapshot(snapshot, rest, policy))) {
            LineReader lines = new LineReader(scan);
            Optional<byte[]> line = next(lines);
            while (line.isPresent()) {
                Item item = ItemFormat.NDJSON.parse(line.get());
                writer.add(item);
                position = item.key().successor();
                progress.accept(++entries);
                line = next(lines);
            }
        }
    }

    /** Reads a line. A failure to read may pass with another node; a failure to write does not. */
    private static Optional<byte[]> next(LineReader lines) throws ClientException {
        try {
            return lines.next();
        } catch (IOException e) {
            throw ClientException.worthRepeating("the node broke the snapshot off: " + e.getMessage());
        }
    }
}
