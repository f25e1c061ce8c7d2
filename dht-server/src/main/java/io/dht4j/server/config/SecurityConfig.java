package io.dht4j.server.config;

import io.dht4j.NodeId;
import io.dht4j.spi.TlsFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The encryption and the access rules of a node.
 *
 * @param tls certificate, key and authorities, for all ports and for the calls to the other nodes; empty for plaintext
 * @param tokens the file of the tokens that the public APIs require; empty for APIs without tokens
 * @param plaintextAllowed whether plaintext may go beyond loopback
 * @param trusted members without a store that may call this node in addition to the peers
 */
public record SecurityConfig(
        Optional<TlsFiles> tls, Optional<Path> tokens, boolean plaintextAllowed, List<NodeId> trusted) {

    /** Copies the names. */
    public SecurityConfig {
        trusted = List.copyOf(trusted);
    }

    static SecurityConfig of(SettingsReader given, boolean hasPeers) throws ConfigException {
        List<NodeId> trusted =
                given.find(Setting.TRUSTED, SecurityConfig::names).orElse(List.of());
        Optional<TlsFiles> tls = tls(given, hasPeers || !trusted.isEmpty());
        boolean plaintextAllowed = given.onOff(Setting.ALLOW_PLAINTEXT);
        if (tls.isPresent() && plaintextAllowed) {
            given.refuse(
                    Setting.ALLOW_PLAINTEXT, "with " + Setting.TLS_CERT.option() + ": everything is encrypted then");
        }
        if (tls.isEmpty()) {
            given.refuse(
                    Setting.TRUSTED,
                    "without " + Setting.TLS_CERT.option()
                            + ": in plaintext no caller proves its name, and every caller is accepted");
        }
        return new SecurityConfig(tls, given.find(Setting.TOKENS, SettingsReader::path), plaintextAllowed, trusted);
    }

    private static Optional<TlsFiles> tls(SettingsReader given, boolean mutual) throws ConfigException {
        Optional<Path> certificate = given.find(Setting.TLS_CERT, SettingsReader::path);
        Optional<Path> key = given.find(Setting.TLS_KEY, SettingsReader::path);
        Optional<Path> authorities = given.find(Setting.TLS_CA, SettingsReader::path);
        if (certificate.isPresent() != key.isPresent()) {
            Setting there = certificate.isPresent() ? Setting.TLS_CERT : Setting.TLS_KEY;
            Setting missing = certificate.isPresent() ? Setting.TLS_KEY : Setting.TLS_CERT;
            throw new ConfigException(there.option() + " needs " + missing.option());
        }
        if (certificate.isEmpty()) {
            given.refuse(Setting.TLS_CA, "without " + Setting.TLS_CERT.option() + " and " + Setting.TLS_KEY.option());
            return Optional.empty();
        }
        if (mutual && authorities.isEmpty()) {
            throw new ConfigException(Setting.TLS_CERT.option() + " needs " + Setting.TLS_CA.option()
                    + " where others call this node: they must prove who they are");
        }
        // A node without peers admits no caller as a peer: only the node itself holds the key of its certificate.
        return Optional.of(
                TlsFiles.mutual(certificate.get(), key.orElseThrow(), authorities.orElse(certificate.get())));
    }

    private static List<NodeId> names(String text) {
        List<NodeId> names = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            names.add(new NodeId(name.strip()));
        }
        return names;
    }
}
