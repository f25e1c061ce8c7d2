package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Bare sockets of the JDK: one connection, a thread that reads at either end, and lengths before the requests. A
 * request is written at once; the server writes when it has read all available bytes.
 */
final class TcpEcho implements Echo {

    private static final int BUFFER_BYTES = 64 << 10;

    private final Socket client;
    private final Socket server;
    private final DataOutputStream requests;
    // Guarded by this.
    private final Queue<CompletableFuture<byte[]>> waiting = new ArrayDeque<>();

    private boolean ended;

    TcpEcho() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            client = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
            server = listener.accept();
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        requests = new DataOutputStream(new BufferedOutputStream(client.getOutputStream(), BUFFER_BYTES));
        start(this::answer);
        start(this::receive);
    }

    private interface Work {
        void run() throws IOException;
    }

    private void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (EOFException | SocketException e) {
                        // Closed.
                        fail(e);
                    } catch (IOException e) {
                        fail(e);
                        throw new UncheckedIOException(e);
                    }
                },
                "tcp-echo");
        thread.setDaemon(true);
        thread.start();
    }

    private void answer() throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream(), BUFFER_BYTES));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(server.getOutputStream(), BUFFER_BYTES));
        while (true) {
            byte[] request = in.readNBytes(in.readInt());
            out.writeInt(request.length);
            out.write(request);
            if (in.available() == 0) {
                out.flush();
            }
        }
    }

    private void receive() throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream(), BUFFER_BYTES));
        while (true) {
            byte[] reply = in.readNBytes(in.readInt());
            CompletableFuture<byte[]> next;
            synchronized (this) {
                next = waiting.remove();
            }
            next.complete(reply);
        }
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        try {
            synchronized (this) {
                if (ended) {
                    throw new SocketException("closed");
                }
                waiting.add(reply);
                requests.writeInt(request.length);
                requests.write(request);
                requests.flush();
            }
        } catch (IOException e) {
            reply.completeExceptionally(e);
        }
        return reply;
    }

    private void fail(IOException error) {
        Queue<CompletableFuture<byte[]>> lost;
        synchronized (this) {
            ended = true;
            lost = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        lost.forEach(reply -> reply.completeExceptionally(error));
    }

    @Override
    public void close() {
        try {
            client.close();
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
