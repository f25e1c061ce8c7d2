package io.dht4j.testkit.transport;

import static io.dht4j.testkit.transport.Calls.bytes;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A socket server with arbitrary behaviour. Uses a thread for each connection. */
final class RawPeer implements AutoCloseable {

    /** The behaviour of a faulty peer before it closes a connection. */
    @FunctionalInterface
    interface Behaviour {
        void serve(Socket socket) throws IOException;
    }

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    RawPeer(Behaviour behaviour) throws IOException {
        Thread acceptor = new Thread(() -> accept(behaviour), "raw-peer");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    private void accept(Behaviour behaviour) {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread thread = new Thread(() -> serve(socket, behaviour), "raw-peer");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // The peer was closed at the end of the test.
            return;
        }
    }

    private static void serve(Socket socket, Behaviour behaviour) {
        try (socket) {
            behaviour.serve(socket);
        } catch (IOException e) {
            // The transport closed the connection, as it may.
            return;
        }
    }

    CompletableFuture<byte[]> calledBy(TransportHarness.Started client, CallContext context) {
        Node node = Node.of("raw", "127.0.0.1:" + server.getLocalPort());
        return client.transport().call(node, Frame.of(bytes("hello")), context).toCompletableFuture();
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
