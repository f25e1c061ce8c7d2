package io.dht4j.transport.http;

import io.dht4j.transport.common.options.PublicApiOptions;
import io.dht4j.transport.http.internal.server.HttpBrowserGuard;
import io.dht4j.transport.http.internal.server.HttpListenerOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The options of the public HTTP API: limits, access and the patience with its clients. Immutable. Every {@code with}
 * method returns a copy, and throws an {@link IllegalArgumentException} that names option, value and allowed range. On
 * a port shared with a transport, connections, their idle timeout and the time for heads are the transport's options.
 */
public final class HttpApiOptions extends PublicApiOptions<HttpApiOptions> {

    private static final HttpApiOptions DEFAULTS =
            new HttpApiOptions(Settings.defaults(), List.of(), HttpListenerOptions.DEFAULT_HEAD_TIMEOUT);

    private final List<String> publicHosts;
    private final Duration headTimeout;

    private HttpApiOptions(Settings settings, List<String> publicHosts, Duration headTimeout) {
        super(settings);
        this.publicHosts = publicHosts;
        this.headTimeout = HttpListenerOptions.requireHeadTimeout(headTimeout);
    }

    /**
     * Returns the defaults: values up to 16 MiB; batches up to 10,000 keys and 32 MiB; 4096 requests and a share of the
     * heap in flight; 30 seconds for a client to send or receive; 60 seconds of silence; 5 seconds for draining;
     * neither tokens nor TLS.
     *
     * @return the defaults
     */
    public static HttpApiOptions defaults() {
        return DEFAULTS;
    }

    @Override
    protected HttpApiOptions with(Settings changed) {
        return new HttpApiOptions(changed, publicHosts, headTimeout);
    }

    /**
     * Returns a copy with a further name or address that clients use for the node. Without tokens, requests with
     * another {@code Host} are refused: they may come from a foreign page in a user's browser. {@code localhost},
     * addresses, and the host at which the API listens are always accepted.
     *
     * @param host a name, or an address, without a port; capitals do not matter
     * @return new options
     */
    public HttpApiOptions withPublicHost(String host) {
        Stream<String> more = Stream.of(HttpBrowserGuard.requireHost(host));
        return new HttpApiOptions(
                settings(), Stream.concat(publicHosts.stream(), more).toList(), headTimeout);
    }

    /**
     * Returns a copy with this time for the head of a request to arrive at {@link HttpApi#listening}'s own port. It
     * begins for a connection's first request when the connection is accepted, for others with their first byte. After
     * it the connection is closed.
     *
     * @param timeout 1 ms to 1 hour; by default 10 seconds
     * @return new options
     */
    public HttpApiOptions withHeadTimeout(Duration timeout) {
        return new HttpApiOptions(settings(), publicHosts, timeout);
    }

    List<String> publicHosts() {
        return publicHosts;
    }

    Duration headTimeout() {
        return headTimeout;
    }
}
