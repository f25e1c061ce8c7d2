package io.dht4j.transport.tcp.internal.client;

import io.dht4j.Node;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.transport.tcp.internal.loop.EventLoop;
import io.dht4j.transport.tcp.internal.loop.Selectable;
import io.dht4j.transport.tcp.internal.wire.MalformedException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Connects to a node once: looks up its host and tries one of its addresses after the other. For the loop's thread. */
final class Dialer implements Selectable {

    private final Node node;
    private final EventLoop loop;
    private final long timeoutNanos;
    private final Owner owner;
    private final Queue<InetAddress> addresses = new ArrayDeque<>();
    private @Nullable SocketChannel channel;
    private long giveUpAt = System.nanoTime();
    private boolean resolved;
    private boolean done;

    /** The owner of the future connection. */
    interface Owner {

        /** The channel of this key is connected. */
        void connected(SelectionKey key);

        /** No address could be connected; the last failure. */
        void unconnected(Throwable failure);
    }

    Dialer(Node node, EventLoop loop, long timeoutNanos, Owner owner) {
        this.node = node;
        this.loop = loop;
        this.timeoutNanos = timeoutNanos;
        this.owner = owner;
    }

    /** Begins; the owner may be called before this returns. */
    void begin(Resolver resolver) {
        resolver.resolve(node, loop, this::resolved);
    }

    private void resolved(List<InetAddress> found) {
        resolved = true;
        addresses.addAll(found);
        if (!done) {
            tryNext(new UnknownHostException(node.host()));
        }
    }

    private void tryNext(Throwable failure) {
        Throwable last = failure;
        for (InetAddress next = addresses.poll(); next != null; next = addresses.poll()) {
            giveUpAt = System.nanoTime() + timeoutNanos;
            try {
                connect(next);
                return;
            } catch (IOException | UnsupportedAddressTypeException e) {
                close();
                last = e;
            }
        }
        done = true;
        owner.unconnected(last);
    }

    private void connect(InetAddress address) throws IOException {
        SocketChannel socket = SocketChannel.open();
        channel = socket;
        socket.configureBlocking(false);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        boolean connected = socket.connect(new InetSocketAddress(address, node.port()));
        SelectionKey key = loop.register(socket, connected ? 0 : SelectionKey.OP_CONNECT, this);
        if (connected) {
            finish(key);
        }
    }

    private void finish(SelectionKey key) {
        done = true;
        channel = null;
        key.interestOps(0);
        owner.connected(key);
    }

    @Override
    public void ready(SelectionKey key) {
        SocketChannel socket = channel;
        if (done || socket == null || key.channel() != socket) {
            return;
        }
        try {
            if (socket.finishConnect()) {
                finish(key);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    @Override
    public void fail(Throwable error) {
        close();
        if (!done) {
            tryNext(error);
        }
    }

    /** Returns when {@link #giveUp} is due by {@link System#nanoTime()}; lookups end on their own. */
    long giveUpAt() {
        return resolved ? giveUpAt : System.nanoTime() + timeoutNanos;
    }

    /** Tries the next address if the present one has not answered in time. */
    void giveUp(long now) {
        if (resolved && !done && giveUpAt - now <= 0) {
            fail(new ConnectException("connection timed out"));
        }
    }

    /** Ends the attempt; the owner is no longer called. */
    void cancel() {
        done = true;
        close();
    }

    private void close() {
        SocketChannel socket = channel;
        channel = null;
        if (socket != null) {
            discard(socket);
        }
    }

    /** Closes a channel that was not taken over. */
    static void discard(SelectionKey key) {
        discard((SocketChannel) key.channel());
    }

    private static void discard(SocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is no remedy for a failed close.
            return;
        }
    }

    /** Describes a failure to connect. */
    static String inWords(Throwable failure) {
        if (failure instanceof MalformedException) {
            return "it sent " + failure.getMessage();
        }
        String words = ConnectFailure.inWords(failure).orElseGet(() -> ConnectFailure.message(failure));
        return words.contains("Connection reset") ? words + "; does it speak TLS, HTTP or gRPC?" : words;
    }
}
