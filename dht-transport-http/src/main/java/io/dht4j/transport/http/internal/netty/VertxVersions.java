package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.LibraryVersions;
import io.netty.util.Version;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.TreeMap;

/**
 * Refuses a version of Vert.x, or of the Netty below it, on the class path that this module cannot run on. This class
 * uses no API that older versions lack.
 */
public final class VertxVersions {

    /** The versions that this module was built with. Vert.x uses the API of the last Netty before its release. */
    static final String LEAST_VERTX = "5.2.0";

    static final String LEAST_NETTY = "4.2.18.Final";

    private VertxVersions() {}

    /**
     * Checks the versions on the class path; those that cannot be read are accepted.
     *
     * @throws IllegalStateException if one is too old; the message names it and the remedy
     */
    public static void check() {
        ClassLoader loader = Vertx.class.getClassLoader();
        LibraryVersions.firstLine(loader, "META-INF/vertx/vertx-version.txt").ifPresent(VertxVersions::checkVertx);
        Map<String, String> netty = new TreeMap<>();
        Version.identify(loader).forEach((artifact, version) -> netty.put(artifact, version.artifactVersion()));
        checkNetty(netty);
    }

    static void checkVertx(String found) {
        LibraryVersions.requireAtLeast(
                "Vert.x",
                found,
                LEAST_VERTX,
                "import io.dht4j:dht-bom before the BOM that chooses it, or take the gRPC transport where the "
                        + "framework itself needs that Vert.x");
    }

    static void checkNetty(Map<String, String> artifacts) {
        artifacts.forEach((artifact, version) -> LibraryVersions.requireAtLeast(
                "Netty (" + artifact + ")",
                version,
                LEAST_NETTY,
                "import io.dht4j:dht-bom before the BOM that chooses it"));
    }
}
