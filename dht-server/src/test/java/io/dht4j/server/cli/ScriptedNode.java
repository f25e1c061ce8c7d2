package io.dht4j.server.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands for a node: answers each request with the next of some texts, and for ever with the last one. */
final class ScriptedNode implements AutoCloseable {

    private final HttpServer server;

    ScriptedNode(String... answers) throws IOException {
        this(200, answers);
    }

    /** With a status other than 200. */
    ScriptedNode(int status, String... answers) throws IOException {
        AtomicInteger next = new AtomicInteger();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String answer = List.of(answers).get(Math.min(next.getAndIncrement(), answers.length - 1));
            byte[] body = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
