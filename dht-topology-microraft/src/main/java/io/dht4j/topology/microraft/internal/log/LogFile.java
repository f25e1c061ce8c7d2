package io.dht4j.topology.microraft.internal.log;

import io.dht4j.store.disk.Disk;
import io.dht4j.store.log.FileIdentity;
import io.dht4j.topology.microraft.internal.codec.Records;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The newest file of the log, open for appends. Used by one thread at a time. */
final class LogFile implements Closeable {

    private final Disk disk;
    private final Path path;
    private final RandomAccessFile file;
    private final FileIdentity identity;
    private long length;

    private LogFile(Disk disk, Path path, RandomAccessFile file, long length) throws IOException {
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.identity = FileIdentity.of(path);
        this.length = length;
    }

    /** Opens a file that was just written. */
    static LogFile open(Disk disk, Path path, long length) throws IOException {
        return new LogFile(disk, path, disk.open(path), length);
    }

    /** Reads a file that an earlier process has left, and forces it, since other members rely on the restored state. */
    static LogFile recover(Disk disk, Path path, long number, Records.Sink into) throws IOException {
        RandomAccessFile file = disk.open(path);
        boolean done = false;
        try {
            long length = FrameFile.read(disk, path, number, file, into);
            disk.force(file, path);
            LogFile recovered = new LogFile(disk, path, file, length);
            done = true;
            return recovered;
        } finally {
            if (!done) {
                file.close();
            }
        }
    }

    /** Appends frames; each is forced before the next one is written. */
    void append(List<byte[]> frames) throws IOException {
        Optional<String> loss = identity.loss();
        if (loss.isPresent()) {
            throw new IOException(path + " " + loss.get());
        }
        for (byte[] frame : frames) {
            file.seek(length);
            disk.write(file, path, frame, 0, frame.length);
            disk.force(file, path);
            length += frame.length;
        }
    }

    long length() {
        return length;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
