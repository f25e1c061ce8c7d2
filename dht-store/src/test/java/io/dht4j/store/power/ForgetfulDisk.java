package io.dht4j.store.power;

import io.dht4j.store.disk.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A disk whose power fails in the middle of some call, after which no call succeeds. What was forced is kept then, and
 * a random part of what was not: bytes up to any length, with zeros behind them or not, or single blocks in any order;
 * and the names of files that were made, renamed or deleted. For one directory, whose parent exists and was forced.
 * Safe for use by any number of threads.
 */
public final class ForgetfulDisk extends Disk {

    private static final int SECTOR = 512;
    private static final int PAGE = 4096;

    private final SplittableRandom random;
    private final Path directory;

    // Guarded by this.
    private final Map<RandomAccessFile, Content> opened = new IdentityHashMap<>();
    private final Map<Path, Content> names = new TreeMap<>();
    private final List<Naming> namings = new ArrayList<>();
    private Map<Path, Content> forcedNames = new TreeMap<>();
    private boolean directoryForced;
    private Predicate<Path> counted = path -> true;
    private long callsLeft = Long.MAX_VALUE;

    /** Bytes that were written at an offset, or, without bytes, a new length. */
    private record Change(long offset, byte @Nullable [] bytes) {}

    /**
     * A name that a file has got, which is none if it was deleted, and the one that it had before, if it was renamed.
     */
    private record Naming(
            Path name, @Nullable Content content, @Nullable Path before) {
        void doneIn(Map<Path, Content> names) {
            if (before != null && names.get(before) == content) {
                names.remove(before);
            }
            if (content == null) {
                names.remove(name);
            } else {
                names.put(name, content);
            }
        }
    }

    /** What a file consists of, under whatever name. */
    private static final class Content {
        private byte[] forced = new byte[0];
        private int length;
        private final List<Change> changes = new ArrayList<>();

        static Content of(byte[] bytes) {
            Content content = new Content();
            content.forced = bytes;
            content.length = bytes.length;
            return content;
        }

        void apply(Change change) {
            byte[] bytes = change.bytes();
            int end = Math.toIntExact(change.offset() + (bytes == null ? 0 : bytes.length));
            if (end > forced.length) {
                forced = Arrays.copyOf(forced, Math.max(end, 2 * forced.length));
            }
            if (bytes == null) {
                if (end < length) {
                    Arrays.fill(forced, end, length, (byte) 0);
                }
                length = end;
            } else {
                System.arraycopy(bytes, 0, forced, (int) change.offset(), bytes.length);
                length = Math.max(length, end);
            }
        }

        void force() {
            changes.forEach(this::apply);
            changes.clear();
        }
    }

    /** A disk that keeps the files of a directory, if it exists. */
    public ForgetfulDisk(Path directory, long seed) throws IOException {
        this.directory = directory;
        this.random = new SplittableRandom(seed);
        if (Files.exists(directory)) {
            directoryForced = true;
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    names.put(file, Content.of(Files.readAllBytes(file)));
                }
            }
            forcedNames = new TreeMap<>(names);
        }
    }

    /** Fails the power in the middle of one of the next calls for some files. */
    public synchronized void failPowerAfter(long calls, Predicate<Path> files) {
        callsLeft = calls;
        counted = files;
    }

    public synchronized boolean isOff() {
        return callsLeft < 0;
    }

    /** Counts a call, which has an effect that is not forced even if the power fails in its middle. */
    private void endCall(Path path) throws IOException {
        if (!counted.test(path)) {
            return;
        }
        if (callsLeft <= 0) {
            callsLeft = -1;
            throw new IOException("the power is off");
        }
        callsLeft--;
    }

    private void beginCall() throws IOException {
        if (isOff()) {
            throw new IOException("the power is off");
        }
    }

    private synchronized Content content(RandomAccessFile file) {
        Content content = opened.get(file);
        if (content == null) {
            throw new IllegalStateException("a file that was not opened by this disk");
        }
        return content;
    }

    @Override
    public synchronized RandomAccessFile open(Path path) throws IOException {
        beginCall();
        Content content = names.get(path);
        if (content == null) {
            content = new Content();
            names.put(path, content);
            namings.add(new Naming(path, content, null));
            endCall(path);
        }
        RandomAccessFile file = super.open(path);
        opened.put(file, content);
        return file;
    }

    @Override
    public synchronized void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length)
            throws IOException {
        beginCall();
        content(file).changes.add(new Change(file.getFilePointer(), Arrays.copyOfRange(bytes, from, from + length)));
        endCall(path);
        super.write(file, path, bytes, from, length);
    }

    @Override
    public synchronized void truncate(RandomAccessFile file, Path path, long length) throws IOException {
        beginCall();
        content(file).changes.add(new Change(length, null));
        endCall(path);
        super.truncate(file, path, length);
    }

    /** The disk of the machine need not do it too. */
    @Override
    public synchronized void sync(RandomAccessFile file, Path path) throws IOException {
        beginCall();
        endCall(path);
        content(file).force();
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        beginCall();
        Naming naming = new Naming(to, names.get(from), from);
        namings.add(naming);
        endCall(to);
        naming.doneIn(names);
        super.rename(from, to);
    }

    @Override
    public synchronized boolean delete(Path path) throws IOException {
        beginCall();
        Naming naming = new Naming(path, null, null);
        namings.add(naming);
        endCall(path);
        naming.doneIn(names);
        return super.delete(path);
    }

    @Override
    public synchronized void syncNames(Path of) throws IOException {
        beginCall();
        endCall(of);
        if (of.equals(directory)) {
            forcedNames = new TreeMap<>(names);
            namings.clear();
        } else if (of.equals(directory.getParent())) {
            directoryForced = true;
        }
    }

    /** Puts into another directory, which does not exist, what is left after the power has failed. */
    public synchronized void leaveIn(Path other) throws IOException {
        if (!directoryForced && random.nextBoolean()) {
            return;
        }
        Files.createDirectories(other);
        Map<Path, Content> left = new TreeMap<>(forcedNames);
        double kept = kept();
        boolean inOrder = random.nextBoolean();
        for (Naming naming : namings) {
            if (random.nextDouble() < kept) {
                naming.doneIn(left);
            } else if (inOrder) {
                break;
            }
        }
        for (Map.Entry<Path, Content> file : left.entrySet()) {
            Content content = file.getValue();
            forget(content);
            Files.write(other.resolve(file.getKey().getFileName()), Arrays.copyOf(content.forced, content.length));
        }
    }

    /** Everything, nothing, or a part. */
    private double kept() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> 1;
            default -> random.nextDouble();
        };
    }

    /** Keeps a part of what was not forced. */
    private void forget(Content content) {
        double kept = kept();
        boolean blocks = random.nextBoolean();
        boolean lengthKept = random.nextInt(4) == 0;
        int block = random.nextBoolean() ? SECTOR : PAGE;
        int length = content.length;
        for (Change change : content.changes) {
            byte[] bytes = change.bytes();
            if (bytes == null) {
                if (random.nextDouble() >= kept) {
                    // What came behind the new length is in blocks that no file has.
                    break;
                }
                content.apply(change);
                length = content.length;
            } else if (blocks) {
                length = Math.max(length, Math.toIntExact(change.offset() + bytes.length));
                forgetBlocks(content, change.offset(), bytes, block, kept);
            } else {
                length = Math.max(length, Math.toIntExact(change.offset() + bytes.length));
                if (random.nextDouble() >= kept) {
                    int count = random.nextInt(bytes.length + 1);
                    if (lengthKept) {
                        // What is zero was never written, which goes by sectors.
                        count = (int) Math.max(0, (change.offset() + count) / SECTOR * SECTOR - change.offset());
                    }
                    content.apply(new Change(change.offset(), Arrays.copyOf(bytes, count)));
                    break;
                }
                content.apply(change);
            }
        }
        content.changes.clear();
        if (lengthKept) {
            content.apply(new Change(Math.max(length, content.length), null));
        }
    }

    private void forgetBlocks(Content content, long offset, byte[] bytes, int block, double kept) {
        int from = 0;
        while (from < bytes.length) {
            int to = (int) Math.min(bytes.length, (offset + from) / block * block + block - offset);
            if (random.nextDouble() < kept) {
                content.apply(new Change(offset + from, Arrays.copyOfRange(bytes, from, to)));
            }
            from = to;
        }
    }
}
