package io.dht4j.examples.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dht4j.examples.transport.TcpConnection.Kind;
import io.dht4j.examples.transport.TcpConnection.Message;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The calls to one peer, over one connection. Safe for use by any number of threads. */
final class TcpPeer implements TcpConnection.Owner {

    private static final int CONNECT_MILLIS = 2_000;
    private static final int MAX_CALLS = 16_384;
    private static final Frame NOTHING = Frame.of(new byte[0]);

    final TcpConnection connection;
    private final String address;
    private final Consumer<TcpPeer> whenClosed;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicBoolean pinged = new AtomicBoolean();
    private volatile long heardAt = System.nanoTime();
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();

    TcpPeer(String address, int maxFrameBytes, long maxWaitingBytes, Consumer<TcpPeer> whenClosed) {
        this.address = address;
        this.whenClosed = whenClosed;
        this.connection = new TcpConnection(maxFrameBytes, maxWaitingBytes, this);
    }

    // tag::connect[]
    /** Connects, and writes until the connection is closed. A call fails only with an attempt that began after it. */
    void run(Executor threads) {
        while (!connection.isClosed()) {
            long newest = numbers.get();
            try {
                connection.run(connect(), threads);
            } catch (IOException | RuntimeException e) {
                String why = "cannot connect: " + e.getMessage();
                boolean refused = ConnectFailure.isRefused(e);
                calls.values().stream().filter(call -> call.number <= newest).forEach(call -> {
                    if (refused) {
                        call.refused(State.WAITING, Reason.REFUSED, why);
                    }
                    call.abandon(why);
                });
                closeUnused(why);
            }
        }
    }

    /** Closes the connection unless a call needs another attempt. The lock keeps calls from coming in between. */
    private synchronized void closeUnused(String why) {
        if (calls.isEmpty()) {
            connection.close(why);
        }
    }

    private synchronized boolean add(Call call) {
        boolean open = !connection.isClosed();
        if (open) {
            calls.put(call.number, call);
        }
        return open;
    }
    // end::connect[]

    private Socket connect() throws IOException {
        int colon = address.lastIndexOf(':');
        int port = Integer.parseInt(address.substring(colon + 1));
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address.substring(0, colon), port), CONNECT_MILLIS);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    // tag::call[]
    private enum State {
        WAITING,
        SENT,
        ENDED
    }

    /** A call. It is <em>not sent</em> only if it ended while it waited, or if the peer refused it. */
    final class Call extends CompletableFuture<byte[]> {

        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private final long number = numbers.incrementAndGet();
        private final CallContext context;
        private Frame request;
        private volatile long sentAt;

        private Call(Frame request, CallContext context) {
            this.request = request;
            this.context = context;
        }

        /** Called by the connection when the first byte is about to be written. */
        private Optional<Message> send() {
            if (!state.compareAndSet(State.WAITING, State.SENT)) {
                return Optional.empty();
            }
            Message message = new Message(Kind.REQUEST, number, context.remainingNanos(), request);
            request = NOTHING;
            sentAt = System.nanoTime();
            return Optional.of(message);
        }

        private void received(Message answer) {
            switch (answer.kind()) {
                case REPLY -> end(State.SENT, () -> complete(answer.frame().toBytes()));
                case REFUSED ->
                    end(
                            State.SENT,
                            () -> fail(
                                    Outcome.NOT_SENT, new String(answer.frame().toBytes(), UTF_8)));
                case NO_ROOM ->
                    refused(
                            State.SENT,
                            Reason.NO_ROOM,
                            new String(answer.frame().toBytes(), UTF_8));
                default ->
                    end(
                            State.SENT,
                            () -> fail(
                                    Outcome.UNKNOWN, new String(answer.frame().toBytes(), UTF_8)));
            }
        }

        /** Ends the call as not sent, for a reason that tells something about the peer. */
        private void refused(State from, Reason reason, String why) {
            end(from, () -> completeExceptionally(new TransportException(reason, address + ": " + why)));
        }

        /** Ends the call without an answer, unless it has ended. Returns whether the peer may know of it. */
        boolean abandon(String why) {
            end(State.WAITING, () -> fail(Outcome.NOT_SENT, why));
            return end(State.SENT, () -> fail(Outcome.UNKNOWN, why));
        }

        private boolean end(State from, Runnable completion) {
            boolean ended = state.compareAndSet(from, State.ENDED);
            if (ended) {
                calls.remove(number);
                completion.run();
            }
            return ended;
        }

        private void fail(Outcome outcome, String why) {
            completeExceptionally(new TransportException(outcome, address + ": " + why));
        }
    }
    // end::call[]

    /**
     * Begins a call, which ends with an answer, when it is abandoned, or with the connection. Returns empty if the
     * connection is closed already; another one may carry the call.
     */
    Optional<Call> call(Frame request, CallContext context) {
        Call call = new Call(request, context);
        if (!add(call)) {
            return Optional.empty();
        }
        if (calls.size() > MAX_CALLS) {
            call.refused(State.WAITING, Reason.NO_ROOM, MAX_CALLS + " calls are under way already");
        } else if (!connection.offer(request.length(), call::send)) {
            call.refused(State.WAITING, Reason.NO_ROOM, "too many bytes wait to be written already");
        }
        // Closing sets the mark, then visits the calls; this adds one, then reads the mark. So one of them ends it.
        boolean unused = connection.isClosed() && call.end(State.WAITING, () -> {});
        return unused ? Optional.empty() : Optional.of(call);
    }

    /** Abandons a call, and cancels it at the peer if the peer may know of it. */
    void giveUp(Call call, String why) {
        if (call.abandon(why)) {
            connection.offer(0, () -> Optional.of(new Message(Kind.CANCEL, call.number, 0, NOTHING)));
        }
    }

    // tag::doubt[]
    /**
     * Returns whether the connection was silent from the sending of a call to its deadline, and pings the peer then.
     * The link may be cut, which TCP reports after minutes only.
     */
    boolean doubts(Call call) {
        boolean doubted = call.sentAt != 0 && call.sentAt - heardAt > 0 && pinged.compareAndSet(false, true);
        if (doubted) {
            connection.offer(0, () -> Optional.of(new Message(Kind.PING, call.number, 0, NOTHING)));
        }
        return doubted;
    }

    /** Closes the connection if the ping had no answer; the next call makes another one. */
    void endDoubt(Call call) {
        if (call.sentAt - heardAt > 0) {
            connection.close("the peer was silent");
        }
        pinged.set(false);
    }
    // end::doubt[]

    @Override
    public void received(Message answer) {
        heardAt = System.nanoTime();
        Call call = calls.get(answer.id());
        // Late answers, and those to pings, have no call.
        if (call != null && answer.kind() != Kind.PONG) {
            call.received(answer);
        }
    }

    @Override
    public void closed(String why) {
        whenClosed.accept(this);
        calls.values().forEach(call -> call.abandon(why));
    }
}
