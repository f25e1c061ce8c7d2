package io.dht4j.examples.transport;

import io.dht4j.spi.Frame;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection with two threads of its own: one reads messages, one writes waiting messages. Safe for use by any
 * number of threads; only {@link #run} blocks.
 */
final class TcpConnection {

    /** The cost of a waiting message in addition to its frame, so that one bound limits bytes and numbers. */
    static final int OVERHEAD = 1024;

    private static final int BUFFER_BYTES = 64 * 1024;

    // tag::message[]
    /** A message on the wire: 4 bytes length of the frame, 1 kind, 8 id, 8 nanoseconds left, and the frame. */
    record Message(Kind kind, long id, long nanosLeft, Frame frame) {}

    /** Callers send requests, cancels and pings; callees send replies, failures, refusals and pongs. */
    enum Kind {
        REQUEST('Q'),
        CANCEL('C'),
        PING('P'),
        PONG('O'),
        REPLY('R'),
        FAILED('F'),
        REFUSED('N'),
        NO_ROOM('M');

        final int code;

        Kind(int code) {
            this.code = code;
        }
    }
    // end::message[]

    /** The user of the connection, called by its threads. */
    interface Owner {
        void received(Message message);

        void closed(String why);
    }

    private record Waiting(long cost, Supplier<Optional<Message>> message) {}

    private final int maxFrameBytes;
    private final long maxWaitingBytes;
    private final Owner owner;
    private final BlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Socket socket;

    TcpConnection(int maxFrameBytes, long maxWaitingBytes, Owner owner) {
        this.maxFrameBytes = maxFrameBytes;
        this.maxWaitingBytes = maxWaitingBytes;
        this.owner = owner;
    }

    // tag::offer[]
    /**
     * Adds a message to the queue, unless the queue would have too many bytes. The supplier makes the message at its
     * turn, just before the first byte is written, and may return empty.
     */
    boolean offer(int frameBytes, Supplier<Optional<Message>> message) {
        long cost = (long) frameBytes + OVERHEAD;
        if (waitingBytes.addAndGet(cost) > maxWaitingBytes) {
            waitingBytes.addAndGet(-cost);
            return false;
        }
        queue.add(new Waiting(cost, message));
        return true;
    }
    // end::offer[]

    /** Writes until the connection is closed, while another thread reads. */
    void run(Socket connected, Executor threads) {
        // close() sets the mark, then looks for a socket; this sets the socket, then reads the mark. So one closes it.
        socket = connected;
        try (connected) {
            connected.setTcpNoDelay(true);
            threads.execute(() -> read(connected));
            DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(connected.getOutputStream(), BUFFER_BYTES));
            while (!isClosed()) {
                Waiting next = queue.poll();
                if (next == null) {
                    out.flush();
                    next = queue.take();
                }
                waitingBytes.addAndGet(-next.cost());
                Optional<Message> message = next.message().get();
                if (message.isPresent()) {
                    write(message.get(), out);
                }
            }
        } catch (IOException | RuntimeException | InterruptedException e) {
            close(String.valueOf(e.getMessage()));
        }
    }

    private static void write(Message message, DataOutputStream out) throws IOException {
        out.writeInt(message.frame().length());
        out.writeByte(message.kind().code);
        out.writeLong(message.id());
        out.writeLong(message.nanosLeft());
        out.write(message.frame().head());
        out.write(message.frame().body());
    }

    // tag::read[]
    private void read(Socket connected) {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(connected.getInputStream(), BUFFER_BYTES))) {
            while (true) {
                int length = in.readInt();
                int code = in.readUnsignedByte();
                Optional<Kind> kind = Stream.of(Kind.values())
                        .filter(known -> known.code == code)
                        .findAny();
                if (length < 0 || length > maxFrameBytes || kind.isEmpty()) {
                    throw new IOException("received what is no message: kind " + code + ", " + length + " bytes");
                }
                long id = in.readLong();
                long nanosLeft = in.readLong();
                // Grows with the bytes that arrive, not with the announced length.
                byte[] frame = in.readNBytes(length);
                if (frame.length < length) {
                    throw new EOFException("ended within a frame");
                }
                owner.received(new Message(kind.get(), id, nanosLeft, Frame.of(frame)));
            }
        } catch (EOFException e) {
            close("the peer hung up");
        } catch (IOException | RuntimeException e) {
            close(String.valueOf(e.getMessage()));
        }
    }
    // end::read[]

    boolean isClosed() {
        return closed.get();
    }

    /** Closes the connection; both threads end. Repeated calls have no effect. */
    void close(String why) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Socket open = socket;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // The connection is closed either way.
            why = why + ", and " + e.getMessage();
        }
        // Wakes the writer.
        queue.add(new Waiting(0, Optional::empty));
        owner.closed(why);
    }
}
