package io.dht4j.security;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A key manager whose certificate and key can be replaced. A handshake makes three queries: for an alias, for its
 * certificates and for its key. All must be of one pair even if the files change in between. An alias therefore
 * identifies a pair, and the pair before the current one stays available.
 */
final class OwnKeyManager extends X509ExtendedKeyManager {

    private final Supplier<X509ExtendedKeyManager> current;
    private final Function<String, Optional<X509ExtendedKeyManager>> byAlias;

    OwnKeyManager(
            Supplier<X509ExtendedKeyManager> current, Function<String, Optional<X509ExtendedKeyManager>> byAlias) {
        this.current = current;
        this.byAlias = byAlias;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return current.get().getClientAliases(keyType, issuers);
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return current.get().chooseClientAlias(keyTypes, issuers, socket);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return current.get().chooseEngineClientAlias(keyTypes, issuers, engine);
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return current.get().getServerAliases(keyType, issuers);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return current.get().chooseServerAlias(keyType, issuers, socket);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return current.get().chooseEngineServerAlias(keyType, issuers, engine);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return byAlias.apply(alias)
                .map(manager -> manager.getCertificateChain(alias))
                .orElse(null);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return byAlias.apply(alias).map(manager -> manager.getPrivateKey(alias)).orElse(null);
    }
}
