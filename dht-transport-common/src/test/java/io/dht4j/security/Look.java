package io.dht4j.security;

import io.dht4j.spi.TlsFiles;
import java.time.Clock;
import java.util.function.Consumer;

/** Opens what is package-private for tests that must not wait. */
public final class Look {

    private Look() {}

    /** Loads files that are looked at only when a test says so. */
    public static Tls load(TlsFiles files, Consumer<String> warnings) {
        return load(files, warnings, Clock.systemUTC());
    }

    /** Loads files that are looked at only when a test says so, with the time that a clock shows. */
    public static Tls load(TlsFiles files, Consumer<String> warnings, Clock clock) {
        return Tls.load(files, warnings, Long.MAX_VALUE, clock);
    }

    /** Looks at the files once. */
    public static void once(Tls tls) {
        tls.look();
    }

    /** Looks at the files twice, after which contents that stand still are in use or refused. */
    public static void at(Tls tls) {
        tls.look();
        tls.look();
    }
}
