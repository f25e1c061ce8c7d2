package io.dht4j.simulator.contract;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Accepts connections, reads their bytes and never answers. */
final class SilentListener implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());

    SilentListener() throws IOException {
        Thread acceptor = new Thread(this::accept, "silent-listener");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                accepted.add(connection);
                CompletableFuture.runAsync(() -> swallow(connection), task -> {
                    Thread reader = new Thread(task, "silent-listener");
                    reader.setDaemon(true);
                    reader.start();
                });
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static void swallow(Socket connection) {
        try {
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // the client hung up
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket connection : List.copyOf(accepted)) {
            connection.close();
        }
    }
}
