package io.dht4j.spi;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/**
 * Says in words why there is no connection to an address, for whoever reads an error: what the operating system, the
 * JDK and network libraries say of it differs and is meant for their authors. Goes by the types of exceptions; by their
 * texts only where one type stands for several things.
 */
public final class ConnectFailure {

    /** Chains of causes may be circular. */
    private static final int DEEPEST = 20;

    private static final String REFUSED = "nothing listens there (connection refused)";

    private ConnectFailure() {}

    /**
     * Whether the machine at an address answers, and nothing listens there. Does not block.
     *
     * @param failure what was thrown; its causes are looked at too
     * @return false if nobody answered, or it is not known
     */
    public static boolean isRefused(Throwable failure) {
        return inWords(failure).filter(REFUSED::equals).isPresent();
    }

    /**
     * Why a connection could not be made. Does not block.
     *
     * @param failure what was thrown; its causes are looked at too
     * @return words that go behind the address, for example {@code nothing listens there (connection refused)}; empty
     *     if the failure is of another kind
     */
    public static Optional<String> inWords(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable cause = failure; cause != null && chain.size() < DEEPEST; cause = cause.getCause()) {
            chain.add(cause);
        }
        // What tells more comes first: libraries wrap the one in the other.
        if (has(chain, e -> e instanceof UnknownHostException || e instanceof UnresolvedAddressException)) {
            return Optional.of("the name of the host cannot be resolved");
        }
        return certificate(chain)
                .or(() -> has(chain, ConnectFailure::isNotTls)
                        ? Optional.of("it does not speak TLS; is this a plaintext port?")
                        : Optional.empty())
                .or(() -> connection(chain));
    }

    private static Optional<String> certificate(List<Throwable> chain) {
        // Only what checks names and trust throws this type itself, and says more than what it was caused by.
        Optional<Throwable> checked = chain.stream()
                .filter(e -> e.getClass() == CertificateException.class)
                .findFirst();
        if (checked.isPresent() && checked.get().getMessage() != null) {
            return Optional.of(checked.get().getMessage());
        }
        if (has(chain, e -> e instanceof CertificateExpiredException)) {
            return Optional.of("the certificate has expired");
        }
        if (has(chain, e -> e instanceof CertificateNotYetValidException)) {
            return Optional.of("the certificate is not valid yet");
        }
        return has(chain, e -> e instanceof CertPathBuilderException)
                ? Optional.of("no trusted authority has signed the certificate")
                : Optional.empty();
    }

    private static Optional<String> connection(List<Throwable> chain) {
        if (has(chain, e -> e instanceof NoRouteToHostException)) {
            return Optional.of("there is no way to that host (no route to host)");
        }
        // Of the JDK's HTTP client and of Netty, which this module does not need otherwise.
        boolean isTimeout =
                has(chain, e -> isNamed(e, "HttpConnectTimeoutException") || isNamed(e, "ConnectTimeoutException"));
        if (!isTimeout && !has(chain, e -> e instanceof ConnectException)) {
            return Optional.empty();
        }
        if (isTimeout || says(chain, "timed out")) {
            return Optional.of("no connection in time; is the host up, and does a firewall let this through?");
        }
        if (says(chain, "unreachable")) {
            return Optional.of("there is no way to that host (unreachable)");
        }
        // The JDK's HTTP client says nothing of a refused one, and of others, such as a port of this machine that is
        // not to be had, what they are.
        return says(chain, "refused") || !has(chain, e -> e instanceof ConnectException && e.getMessage() != null)
                ? Optional.of(REFUSED)
                : Optional.empty();
    }

    /** Its message shows the bytes that came in place of TLS. */
    private static boolean isNotTls(Throwable e) {
        return isNamed(e, "NotSslRecordException")
                || (e instanceof SSLException
                        && String.valueOf(e.getMessage())
                                .toLowerCase(Locale.ROOT)
                                .contains("unrecognized ssl message"));
    }

    private static boolean isNamed(Throwable e, String simpleName) {
        return e.getClass().getSimpleName().equals(simpleName);
    }

    private static boolean has(List<Throwable> chain, Predicate<Throwable> kind) {
        return chain.stream().anyMatch(kind);
    }

    private static boolean says(List<Throwable> chain, String text) {
        return has(
                chain,
                e -> e instanceof ConnectException
                        && String.valueOf(e.getMessage())
                                .toLowerCase(Locale.ROOT)
                                .contains(text));
    }
}
