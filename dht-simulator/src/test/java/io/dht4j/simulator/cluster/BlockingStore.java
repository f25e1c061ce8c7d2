package io.dht4j.simulator.cluster;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * A model store that wants store threads, as one on a disk does, unless it is asked for otherwise; and that can be made
 * to fail.
 */
public final class BlockingStore extends ForwardingStore {

    private final boolean memoryFast;
    public volatile boolean broken;
    /** Whether it reads, but takes no writes. */
    public volatile boolean readOnly;
    /** How many entries each call brought. */
    public final List<Integer> applied = new CopyOnWriteArrayList<>();

    /** So often what is held cannot be read to the end by who begins to follow. */
    public volatile int followsThatFail;

    /** How often it was read. */
    public final AtomicInteger gets = new AtomicInteger();

    /** Whether it has everything in memory, though others of its calls wait for a disk. */
    public volatile boolean remembers;

    /** Called by each read before it reads. */
    public volatile Runnable beforeGet = () -> {};

    /** Called by each scan before it begins. */
    public volatile Runnable beforeScan = () -> {};

    /** Called by each write, with the number of its entries, before it writes. */
    public volatile IntConsumer beforeApply = entries -> {};

    public BlockingStore() {
        this(false);
    }

    private BlockingStore(boolean memoryFast) {
        super(new ModelStore());
        this.memoryFast = memoryFast;
    }

    /** One that begins with the content of another store. */
    public BlockingStore(ModelStore content) {
        super(content);
        this.memoryFast = false;
    }

    /** One that wants no store threads, but can be made to fail all the same. */
    public static BlockingStore memoryFast() {
        return new BlockingStore(true);
    }

    private void checkWhole() {
        if (broken && memoryFast) {
            throw new AssertionError("broken");
        }
        if (broken) {
            throw new StoreException("disk full");
        }
    }

    @Override
    public Optional<Entry> get(Key key) {
        gets.incrementAndGet();
        beforeGet.run();
        checkWhole();
        return super.get(key);
    }

    @Override
    public Optional<Held> getFromMemory(Key key) {
        if (!remembers) {
            return super.getFromMemory(key);
        }
        checkWhole();
        return Optional.of(new Held(super.get(key)));
    }

    @Override
    public void apply(List<Entry> entries) {
        checkWhole();
        if (readOnly) {
            throw new StoreException("disk full");
        }
        beforeApply.accept(entries.size());
        applied.add(entries.size());
        super.apply(entries);
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        beforeScan.run();
        checkWhole();
        return super.scan(range);
    }

    @Override
    public EntryCursor follow(ContentListener listener) {
        EntryCursor held = super.follow(listener);
        return followsThatFail-- > 0 ? new BrokenCursor(held) : held;
    }

    /** Fails at its end. */
    private record BrokenCursor(EntryCursor held) implements EntryCursor {
        @Override
        public boolean hasNext() {
            if (!held.hasNext()) {
                throw new StoreException("the file was opened again");
            }
            return true;
        }

        @Override
        public Entry next() {
            return held.next();
        }

        @Override
        public void close() {
            held.close();
        }
    }

    @Override
    public boolean isMemoryFast() {
        return memoryFast;
    }

    @Override
    public String name() {
        return memoryFast ? "failing" : "blocking";
    }
}
