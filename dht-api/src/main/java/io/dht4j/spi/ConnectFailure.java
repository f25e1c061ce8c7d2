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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Describes connection failures for readers of error messages, since the messages of operating system, JDK and network
 * libraries differ. Classifies by exception type, and by message only where one type has several meanings.
 */
public final class ConnectFailure {

    /** Limits the search, since chains of causes may be circular. */
    private static final int DEEPEST = 20;

    /** The description of a host whose name has no address. */
    public static final String UNKNOWN_HOST = "the name of the host cannot be resolved";

    /** What the JDK says of an alert by which the other side refuses a certificate. */
    private static final Pattern CERTIFICATE_ALERT =
            Pattern.compile("Received fatal alert: (\\w*certificate\\w*|unknown_ca)");

    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed( with error\\(-?\\d+\\))?: ");

    private static final String REFUSED = "nothing listens there (connection refused)";

    private ConnectFailure() {}

    /**
     * Returns whether a machine answers at the address but nothing listens at the port. Does not block.
     *
     * @param failure the exception; its causes are searched too
     * @return false if no machine answered, or the reason is unknown
     */
    public static boolean isRefused(Throwable failure) {
        return inWords(failure).filter(REFUSED::equals).isPresent();
    }

    /**
     * Returns whether a connection with TLS failed since the peer sent something else. Does not block.
     *
     * @param failure the exception; its causes are searched too
     * @return false for any other failure
     */
    public static boolean isPlaintext(Throwable failure) {
        return has(chain(failure), ConnectFailure::isNotTls);
    }

    /**
     * Describes why a connection could not be established. Does not block.
     *
     * @param failure the exception; its causes are searched too
     * @return a phrase to follow the address, for example {@code nothing listens there (connection refused)}; empty if
     *     the failure is of another kind
     */
    public static Optional<String> inWords(Throwable failure) {
        List<Throwable> chain = chain(failure);
        // The more specific types come first: libraries wrap one in another.
        if (has(chain, e -> e instanceof UnknownHostException || e instanceof UnresolvedAddressException)) {
            return Optional.of(UNKNOWN_HOST);
        }
        return certificate(chain)
                .or(() -> has(chain, ConnectFailure::isNotTls)
                        ? Optional.of("it does not speak TLS; is this a plaintext port?")
                        : Optional.empty())
                .or(() -> connection(chain));
    }

    /**
     * Returns the message of an exception that {@link #inWords} does not describe. Does not block.
     *
     * @param failure the exception; its causes are not searched
     * @return the message without the system call that Netty names before it, or the name of the type if there is none
     */
    public static String message(Throwable failure) {
        String message = failure.getMessage();
        return message == null
                ? failure.getClass().getSimpleName()
                : SYSTEM_CALL.matcher(message).replaceFirst("");
    }

    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        for (Throwable cause = failure; cause != null && chain.size() < DEEPEST; cause = cause.getCause()) {
            chain.add(cause);
        }
        return chain;
    }

    private static Optional<String> certificate(List<Throwable> chain) {
        // Only checks of names and trust throw this type itself. Its message is more specific than that of its cause.
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
        if (has(chain, e -> e instanceof CertPathBuilderException)) {
            return Optional.of("no trusted authority has signed the certificate");
        }
        return chain.stream()
                .filter(SSLException.class::isInstance)
                .map(e -> CERTIFICATE_ALERT.matcher(String.valueOf(e.getMessage())))
                .filter(Matcher::find)
                .map(alert -> "the other side does not accept the certificate of this one (" + alert.group(1) + ")")
                .findFirst();
    }

    private static Optional<String> connection(List<Throwable> chain) {
        if (has(chain, e -> e instanceof NoRouteToHostException)) {
            return Optional.of("there is no way to that host (no route to host)");
        }
        // Types of the JDK's HTTP client and of Netty. This module does not depend on either.
        boolean isTimeout =
                has(chain, e -> isNamed(e, "HttpConnectTimeoutException") || isNamed(e, "ConnectTimeoutException"));
        if (!isTimeout && !has(chain, e -> e instanceof ConnectException)) {
            return Optional.empty();
        }
        if (isTimeout || says(chain, "timed out")) {
            return Optional.of(
                    "no connection in time: the server is too busy, the host is down, or a firewall is in between");
        }
        if (says(chain, "unreachable")) {
            return Optional.of("there is no way to that host (unreachable)");
        }
        // The JDK's HTTP client gives no message for a refused connection, but one for other failures, such as an
        // unavailable local port.
        return says(chain, "refused") || !has(chain, e -> e instanceof ConnectException && e.getMessage() != null)
                ? Optional.of(REFUSED)
                : Optional.empty();
    }

    /** Returns whether the peer sent bytes that are not TLS. The message of such an exception contains these bytes. */
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
