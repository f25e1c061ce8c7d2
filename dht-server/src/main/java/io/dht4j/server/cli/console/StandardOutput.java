package io.dht4j.server.cli.console;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of a command. Unlike other print streams, it throws {@link OutputFailedException} at the first
 * failed write and at each later one: a command ends when its output has no reader or no space left. Text is UTF-8.
 */
public final class StandardOutput extends PrintStream {

    /** Links to the standard output of this process, on Linux. */
    private static final Path LINK = Path.of("/proc/self/fd/1");

    private final Checked checked;
    private final boolean isPipe;

    /**
     * Creates the output.
     *
     * @param target receives the bytes; each line, and each block of bytes, is flushed
     */
    public StandardOutput(OutputStream target) {
        this(new Checked(target), false);
    }

    private StandardOutput(Checked checked, boolean isPipe) {
        super(new BufferedOutputStream(checked), true, StandardCharsets.UTF_8);
        this.checked = checked;
        this.isPipe = isPipe;
    }

    /** Returns the standard output of this process. */
    static StandardOutput ofProcess() {
        boolean isPipe;
        try {
            isPipe = Files.readSymbolicLink(LINK).toString().startsWith("pipe:");
        } catch (IOException | UnsupportedOperationException e) {
            isPipe = false; // Another system: the message of the failure decides.
        }
        return new StandardOutput(new Checked(new FileOutputStream(FileDescriptor.out)), isPipe);
    }

    /** Returns whether the reader has closed the output. The system's message may be in the language of the user. */
    boolean isClosedPipe(IOException failure) {
        return isPipe || "Broken pipe".equals(failure.getMessage());
    }

    /** Returns the failure of the first failed write; empty if the command continues {@link #doWithout} the output. */
    Optional<IOException> failure() {
        return checked.abandoned ? Optional.empty() : Optional.ofNullable(checked.failure);
    }

    /**
     * Discards all further output: the command has another purpose, which determines its exit code. Safe for use by any
     * thread.
     */
    public void doWithout() {
        checked.abandoned = true;
    }

    /** Throws unchecked exceptions, which a print stream does not hide. After a failure it discards output. */
    private static final class Checked extends FilterOutputStream {

        private volatile @Nullable IOException failure;
        private volatile boolean abandoned;

        Checked(OutputStream target) {
            super(target);
        }

        private interface Step {
            void run() throws IOException;
        }

        @Override
        public void write(int octet) {
            write(new byte[] {(byte) octet}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            run(() -> out.write(bytes, offset, length));
        }

        @Override
        public void flush() {
            run(out::flush);
        }

        @Override
        public void close() {
            run(out::close);
        }

        private void run(Step step) {
            if (abandoned) {
                return;
            }
            IOException before = failure;
            if (before != null) {
                throw new OutputFailedException(before);
            }
            try {
                step.run();
            } catch (IOException e) {
                failure = e;
                throw new OutputFailedException(e);
            }
        }
    }
}
