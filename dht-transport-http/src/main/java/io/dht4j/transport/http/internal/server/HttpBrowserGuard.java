package io.dht4j.transport.http.internal.server;

import static java.util.Objects.requireNonNull;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.netty.IpLiterals;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that a foreign page may make a user's browser send. A page of another origin can send requests;
 * their {@code Origin} or {@code Sec-Fetch-Site} reveals it. A page whose own name resolves to this node (DNS
 * rebinding) can also read the answers, but its {@code Host} is that name. Safe for use by any number of event loops.
 */
public final class HttpBrowserGuard {

    private static final String LOCALHOST = "localhost";
    private static final String SCHEME_END = "://";

    private static final CharSequence FETCH_SITE = HttpHeaders.createOptimized("Sec-Fetch-Site");
    private static final CharSequence FETCH_MODE = HttpHeaders.createOptimized("Sec-Fetch-Mode");
    private static final CharSequence FETCH_DEST = HttpHeaders.createOptimized("Sec-Fetch-Dest");

    /** The greatest number of texts that are remembered as naming this node. */
    private static final int MAX_REMEMBERED = 32;

    private volatile Set<String> names = Set.of(LOCALHOST);
    /** Texts of {@code Host} that were found to name this node: most requests have one of a few. */
    private volatile Set<String> remembered = Set.of();

    private volatile CompletableFuture<Set<String>> machineNames = CompletableFuture.completedFuture(Set.of());

    /** Creates a guard that accepts addresses and {@code localhost} as names of the node. */
    HttpBrowserGuard() {}

    /** Accepts the names of this machine too, once the system reports them. Does not block. */
    void acceptMachineNames() {
        machineNames = OwnNames.ask();
    }

    /**
     * Accepts further names of the node.
     *
     * @param hosts names or addresses, without ports
     */
    public synchronized void accept(Collection<String> hosts) {
        Set<String> more = new HashSet<>(names);
        hosts.forEach(host -> more.add(normal(host)));
        names = Set.copyOf(more);
    }

    /**
     * Checks a name or an address of a node.
     *
     * @return its normalized form
     * @throws IllegalArgumentException if it is neither
     */
    public static String requireHost(String host) {
        String normal = normal(requireNonNull(host, "host").strip());
        HostAndPort parsed = HostAndPort.parseAuthority(PeerProtocol.hostInUri(normal), -1);
        if (normal.isEmpty() || parsed == null || parsed.port() >= 0) {
            throw new IllegalArgumentException(
                    "publicHost must be a name or an address, without a port, not \"" + HttpText.shown(host) + "\"");
        }
        return normal;
    }

    /**
     * Returns why a request to the path of the peers is refused; empty if it is not. Peers send neither an origin nor
     * the headers that browsers add, and mark their requests by a header that no page can set. A peer of a release that
     * does not mark them has to use a name of this node.
     */
    Optional<HttpProblem> refusalOfPeer(HttpServerRequest request) {
        MultiMap headers = request.headers();
        if (headers.contains(HttpHeaders.ORIGIN) || headers.contains(FETCH_SITE)) {
            return Optional.of(HttpProblem.of(
                    ErrorCode.PERMISSION_DENIED, "a browser sends this request, and only nodes may use this path"));
        }
        return headers.contains(PeerProtocol.PEER_HEADER) ? Optional.empty() : refusalOfHost(request, "");
    }

    /**
     * Returns why a request to any other path is refused; empty if it is not. Accepts probes: supervisors do not know
     * the node's name, and the answers contain no data. With tokens, names and origins do not matter: a page has no
     * token.
     */
    Optional<HttpProblem> refusalOfClient(HttpServerRequest request, boolean hasTokens) {
        if (ApiProtocol.isProbe(request.path())) {
            return Optional.empty();
        }
        MultiMap headers = request.headers();
        String site = headers.get(FETCH_SITE);
        if (site != null && !site.equals("same-origin") && !site.equals("none") && !opensConsole(request)) {
            return Optional.of(HttpProblem.of(
                    ErrorCode.PERMISSION_DENIED,
                    "Sec-Fetch-Site is \"" + HttpText.shown(site) + "\": pages of other sites may not use this node"));
        }
        if (hasTokens) {
            return Optional.empty();
        }
        Optional<HttpProblem> foreignHost = refusalOfHost(request, ", or give its clients tokens");
        if (foreignHost.isPresent() || !headers.contains(HttpHeaders.ORIGIN)) {
            return foreignHost;
        }
        List<String> origins = headers.getAll(HttpHeaders.ORIGIN);
        return origins.size() == 1 && isSame(origins.get(0), request.authority())
                ? Optional.empty()
                : Optional.of(HttpProblem.of(
                        ErrorCode.PERMISSION_DENIED,
                        "Origin \"" + HttpText.shown(origins.get(0)) + "\" is foreign: without tokens pages of other"
                                + " sites may not use this node"));
    }

    /** Returns whether a person follows a link of another site to the console, which holds no data. */
    private static boolean opensConsole(HttpServerRequest request) {
        return ApiProtocol.CONSOLE.equals(request.path())
                && "navigate".equals(request.getHeader(FETCH_MODE))
                && "document".equals(request.getHeader(FETCH_DEST));
    }

    /** Returns why a request is refused for its host; empty if that is this node. */
    private Optional<HttpProblem> refusalOfHost(HttpServerRequest request, String orElse) {
        boolean isHttp2 = request.version() == HttpVersion.HTTP_2;
        HostAndPort authority = isHttp2 ? request.authority() : null;
        String text = isHttp2
                ? (authority == null ? null : authority.host())
                : request.headers().get(HttpHeaders.HOST);
        Optional<HttpProblem> target = refusalOfTarget(request.uri(), orElse);
        if (target.isPresent()) {
            return target;
        }
        if (text != null && remembered.contains(text)) {
            return Optional.empty();
        }
        if (text == null && request.version() == HttpVersion.HTTP_1_0) {
            // There may be none. No browser uses this version.
            return Optional.empty();
        }
        authority = request.authority();
        if (text == null || authority == null) {
            if (text != null && isZonedAddress(text)) {
                return Optional.empty();
            }
            return Optional.of(HttpProblem.of(ErrorCode.BAD_REQUEST, "Host is no name or address"));
        }
        if (isOwn(normal(authority.host()))) {
            remember(text);
            return Optional.empty();
        }
        return Optional.of(foreign(authority, orElse));
    }

    /** Returns whether a text is an IPv6 address with a zone, which a peer may have as an address and no URL has. */
    private static boolean isZonedAddress(String text) {
        int end = text.indexOf(']');
        return text.startsWith("[")
                && text.indexOf('%') > 0
                && end > 0
                && IpLiterals.normal(normal(text.substring(0, end + 1))).isPresent();
    }

    /** Returns why a request is refused that names another host in its target, as it would for a proxy. */
    private Optional<HttpProblem> refusalOfTarget(@Nullable String target, String orElse) {
        // CONNECT over HTTP/2 has no target.
        int scheme = target == null || target.startsWith("/") ? -1 : target.indexOf(SCHEME_END);
        if (target == null || scheme < 0) {
            return Optional.empty();
        }
        int begin = scheme + SCHEME_END.length();
        int slash = target.indexOf('/', begin);
        HostAndPort named =
                HostAndPort.parseAuthority(target.substring(begin, slash < 0 ? target.length() : slash), -1);
        if (named == null) {
            return Optional.of(HttpProblem.of(ErrorCode.BAD_REQUEST, "the target names no host"));
        }
        return isOwn(normal(named.host())) ? Optional.empty() : Optional.of(foreign(named, orElse));
    }

    private static HttpProblem foreign(HostAndPort authority, String orElse) {
        String host = HttpText.shown(authority.host());
        return HttpProblem.of(
                421,
                ErrorCode.BAD_REQUEST,
                "\"" + host + "\" is not known to be a name of this node: start the node with " + host
                        + " as a public host, or reach it by an address" + orElse);
    }

    private void remember(String text) {
        // Each request with a further text comes here: once there is no room, they must not wait for each other.
        if (remembered.size() < MAX_REMEMBERED) {
            rememberIfRoom(text);
        }
    }

    private synchronized void rememberIfRoom(String text) {
        if (remembered.size() < MAX_REMEMBERED) {
            Set<String> more = new HashSet<>(remembered);
            more.add(text);
            remembered = Set.copyOf(more);
        }
    }

    /**
     * Returns whether a host is this node's. Every address is: no name service can make an address lead elsewhere,
     * whether it is the node's or a proxy's.
     */
    private boolean isOwn(String host) {
        return names.contains(host)
                || machineNames.getNow(Set.of()).contains(host)
                || IpLiterals.normal(host).isPresent();
    }

    /** Returns whether an origin is the node itself; the scheme may be that of a proxy. */
    private static boolean isSame(String origin, @Nullable HostAndPort authority) {
        int end = origin.indexOf(SCHEME_END);
        if (end < 0 || authority == null) {
            return false;
        }
        HostAndPort from = HostAndPort.parseAuthority(origin.substring(end + SCHEME_END.length()), -1);
        int usual = origin.substring(0, end).toLowerCase(Locale.ROOT).equals("https") ? 443 : 80;
        return from != null
                && normal(from.host()).equals(normal(authority.host()))
                && portOf(from, usual) == portOf(authority, usual);
    }

    private static int portOf(HostAndPort address, int usual) {
        return address.port() < 0 ? usual : address.port();
    }

    /**
     * Normalises a host: lower case, without the brackets and the zone of IPv6, and the dot at the end of a full name;
     * addresses in the one form that Java gives them.
     */
    private static String normal(String host) {
        String plain = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        // A % in a name is no zone, and the part before it is not the name.
        int zone = plain.indexOf(':') < 0 ? -1 : plain.indexOf('%');
        plain = zone < 0 ? plain : plain.substring(0, zone);
        plain = plain.endsWith(".") ? plain.substring(0, plain.length() - 1) : plain;
        return IpLiterals.normal(plain).orElse(plain.toLowerCase(Locale.ROOT));
    }
}
