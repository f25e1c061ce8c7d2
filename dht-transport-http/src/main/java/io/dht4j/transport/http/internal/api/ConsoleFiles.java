package io.dht4j.transport.http.internal.api;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.netty.WrappedBytes;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Serves the console: a page whose files are on the class path. It holds no data, so any client may load it; it
 * requests its data like any other client. The files are read once, by a worker thread, when the first one is
 * requested. Does not block. Safe for use by any number of event loops.
 */
final class ConsoleFiles {

    private static final String DIRECTORY = "/io/dht4j/transport/http/console/";
    private static final String ROOT = "/";
    private static final String PAGE = "console.html";

    /** A request names one of these, so no path leads out of the directory. */
    private static final List<String> FILES = List.of(
            PAGE,
            "console.css",
            "console.js",
            "acts.js",
            "alerts.js",
            "dom.js",
            "hotkeys.js",
            "load.js",
            "lookup.js",
            "metrics.js",
            "nodes.js",
            "partitions.js",
            "poll.js",
            "work.js",
            "icon.svg");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    /** No foreign or inline content, no frames, and no text that becomes markup. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;
    private static final int PERMANENT_REDIRECT = 308;

    private final Vertx vertx;
    private volatile @Nullable Map<String, ConsoleFile> loaded;

    ConsoleFiles(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Returns whether a path belongs to the console. The root leads to it. */
    static boolean serves(String path) {
        return path.equals(ROOT) || path.equals(ApiProtocol.CONSOLE) || path.startsWith(ApiProtocol.CONSOLE + "/");
    }

    /** Answers a request by GET or HEAD with a file, or with its absence. */
    void answer(ApiExchange exchange) {
        String path = exchange.request().path();
        if (path.equals(ROOT) || path.equals(ApiProtocol.CONSOLE + "/")) {
            // Relative, so that it holds behind a proxy that serves the node below a path of its own.
            exchange.response().putHeader(HttpHeaders.LOCATION, (path.equals(ROOT) ? "." : "..") + ApiProtocol.CONSOLE);
            exchange.answer(PERMANENT_REDIRECT);
            return;
        }
        boolean isPage = path.equals(ApiProtocol.CONSOLE);
        String name = isPage ? PAGE : path.substring(ApiProtocol.CONSOLE.length() + 1);
        if (name.equals(PAGE) != isPage || !FILES.contains(name)) {
            throw new InvalidRequestException(
                    ErrorCode.UNKNOWN_RESOURCE, "the console has no file \"" + HttpText.shown(name) + "\"");
        }
        exchange.share().requireConnection();
        exchange.await(this::files, files -> answer(exchange, files.get(name)));
    }

    private static void answer(ApiExchange exchange, @Nullable ConsoleFile file) {
        if (file == null) {
            throw new IllegalStateException("a file of the console was not loaded");
        }
        HttpServerResponse response = exchange.response();
        response.putHeader(HttpHeaders.ETAG, file.tag)
                // Kept, but asked for again each time: another version of the node has another page.
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Referrer-Policy", "no-referrer");
        if (file.isKnown(exchange.request().headers().getAll(HttpHeaders.IF_NONE_MATCH))) {
            exchange.answer(NOT_MODIFIED);
            return;
        }
        response.putHeader(HttpHeaders.CONTENT_TYPE, file.type);
        exchange.answer(OK, WrappedBytes.of(file.bytes));
    }

    private CompletionStage<Map<String, ConsoleFile>> files() {
        Map<String, ConsoleFile> known = loaded;
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return vertx.executeBlocking(ConsoleFiles::read, false)
                .onSuccess(files -> loaded = files)
                .toCompletionStage();
    }

    private static Map<String, ConsoleFile> read() throws IOException {
        Map<String, ConsoleFile> files = new HashMap<>();
        for (String name : FILES) {
            try (InputStream in = ConsoleFiles.class.getResourceAsStream(DIRECTORY + name)) {
                if (in == null) {
                    throw new FileNotFoundException(DIRECTORY + name + " is not on the class path");
                }
                files.put(name, ConsoleFile.of(name, in.readAllBytes()));
            }
        }
        return Map.copyOf(files);
    }

    /** A file in memory, whose bytes never change, with its entity tag. */
    private static final class ConsoleFile {

        private final byte[] bytes;
        private final String type;
        private final String tag;

        private ConsoleFile(byte[] bytes, String type, String tag) {
            this.bytes = bytes;
            this.type = type;
            this.tag = tag;
        }

        static ConsoleFile of(String name, byte[] bytes) {
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            return new ConsoleFile(bytes, Objects.requireNonNull(type, name), '"' + digest(bytes) + '"');
        }

        private static String digest(byte[] bytes) {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 16);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        /** Returns whether a client has this file, by the values of its header {@code If-None-Match}. */
        boolean isKnown(List<String> headers) {
            for (String header : headers) {
                for (String each : header.split(",", -1)) {
                    String known = each.strip();
                    if (known.equals("*") || known.equals(tag) || known.equals("W/" + tag)) {
                        return true;
                    }
                }
            }
            return false;
        }
    }
}
