package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster with a fault must not take the API down, nor tell clients what the fault is. */
@Timeout(60)
class HttpApiFaultTest {

    private static final Set<String> CALLS = Set.of("get", "put", "delete", "scan");

    /** Passes everything on but the calls, which throw or come back failed. */
    private static Cluster faulty(Cluster cluster, boolean throwing) {
        return (Cluster) Proxy.newProxyInstance(
                Cluster.class.getClassLoader(), new Class<?>[] {Cluster.class}, (proxy, method, arguments) -> {
                    if (CALLS.contains(method.getName())) {
                        RuntimeException fault = new IllegalStateException("secret");
                        if (throwing || method.getName().equals("scan")) {
                            throw fault;
                        }
                        return CompletableFuture.failedFuture(fault);
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFaultIsAnInternalErrorWithoutItsDetails(boolean throwing) throws IOException {
        HttpApiOptions options = HttpApiOptions.defaults().withMaxInFlight(1);
        try (ApiNodes nodes = ApiNodes.of(1, builder -> builder, options);
                HttpApi api = HttpApi.listening("127.0.0.1", 0, faulty(nodes.cluster(0), throwing), options);
                RawHttp raw = new RawHttp(api.port())) {
            for (String request : new String[] {
                "GET /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nv",
                "DELETE /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /v0/entities?start=k HTTP/1.1\r\nHost: localhost\r\n\r\n"
            }) {
                raw.send(request);
                RawHttp.Answer answer = raw.read();
                assertProblem(answer, 500, ErrorCode.INTERNAL);
                assertThat(answer.text()).doesNotContain("secret");
            }
            raw.send("GET /v0/placement?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }
}
