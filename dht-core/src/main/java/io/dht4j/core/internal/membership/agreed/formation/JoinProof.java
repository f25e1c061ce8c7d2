package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.NodeId;
import io.dht4j.core.options.Membership.JoinToken;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The proof that a node has the join token of a cluster. It is valid for one name and one data directory, so a node
 * that overhears it can admit no other node. A member needs no proof to admit others, and only TLS prevents a caller
 * from naming a member as the sender.
 */
public final class JoinProof {

    private static final String ALGORITHM = "HmacSHA256";

    private JoinProof() {}

    /**
     * Returns a proof. Reads the token, which may block.
     *
     * @param token the token
     * @param name the name of the node
     * @param incarnation the identity of its data directory
     * @throws IllegalStateException if the token is too short
     */
    public static byte[] of(JoinToken token, NodeId name, UUID incarnation) {
        byte[] secret = token.bytes();
        if (secret.length < JoinToken.MIN_BYTES) {
            throw new IllegalStateException(
                    "a join token has at least " + JoinToken.MIN_BYTES + " bytes, not " + secret.length);
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return mac.doFinal(("dht4j-join\0" + name + "\0" + incarnation).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot compute " + ALGORITHM, e);
        }
    }

    /** Compares two proofs in constant time. */
    public static boolean matches(byte[] proof, byte[] other) {
        return MessageDigest.isEqual(proof, other);
    }
}
