package io.dht4j.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** The application of the guide, which keeps notes in a cluster that the framework manages as a bean. */
abstract class NotesContract {

    /** Returns the port of the framework's server. */
    abstract int port();

    @Test
    void aNoteIsKept() throws Exception {
        assertEquals("absent", send("GET", "/notes/none"));
        assertEquals("kept", send("PUT", "/notes/greeting"));
        assertEquals("hello", send("GET", "/notes/greeting"));
    }

    private String send(String method, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("Content-Type", "text/plain")
                .method(method, HttpRequest.BodyPublishers.ofString(method.equals("PUT") ? "hello" : ""))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        return response.body();
    }
}
