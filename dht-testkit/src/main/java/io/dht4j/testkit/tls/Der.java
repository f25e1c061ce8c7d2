package io.dht4j.testkit.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;

/**
 * The part of X.509 that test certificates need (RFC 5280), in the distinguished encoding of ASN.1 (X.690). The JDK
 * reads certificates but has no public API to create them.
 */
final class Der {

    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;

    /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
    private static final byte[] ECDSA_WITH_SHA256 =
            of(SEQUENCE, new byte[] {0x06, 0x08, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x04, 0x03, 0x02});

    /** 2.5.29.17 and 2.5.29.19. */
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = {0x06, 0x03, 0x55, 0x1D, 0x11};

    private static final byte[] BASIC_CONSTRAINTS = {0x06, 0x03, 0x55, 0x1D, 0x13};
    private static final byte[] TRUE = {0x01, 0x01, (byte) 0xFF};

    private static final Pattern IP = Pattern.compile("[0-9]+(\\.[0-9]+){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    /** The issuer of a certificate. */
    record Issuer(X500Principal name, PrivateKey key) {}

    /** The subject of a certificate. Without names the certificate has no such extension. */
    record Subject(X500Principal name, PublicKey key, boolean authority, List<String> names) {}

    /** Creates a certificate, signed with an EC key. */
    static byte[] certificate(BigInteger serial, Issuer issuer, Instant from, Instant until, Subject subject)
            throws GeneralSecurityException {
        byte[] constraints = subject.authority() ? of(SEQUENCE, TRUE) : of(SEQUENCE);
        byte[] extensions = of(SEQUENCE, BASIC_CONSTRAINTS, TRUE, of(OCTET_STRING, constraints));
        if (!subject.names().isEmpty()) {
            byte[][] names = subject.names().stream().map(Der::name).toArray(byte[][]::new);
            extensions =
                    concat(extensions, of(SEQUENCE, SUBJECT_ALTERNATIVE_NAME, of(OCTET_STRING, of(SEQUENCE, names))));
        }
        byte[] toSign = of(
                SEQUENCE,
                of(0xA0, of(INTEGER, new byte[] {2})),
                of(INTEGER, serial.toByteArray()),
                ECDSA_WITH_SHA256,
                issuer.name().getEncoded(),
                of(SEQUENCE, time(from), time(until)),
                subject.name().getEncoded(),
                subject.key().getEncoded(),
                of(0xA3, of(SEQUENCE, extensions)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(issuer.key());
        signature.update(toSign);
        return of(SEQUENCE, toSign, ECDSA_WITH_SHA256, of(BIT_STRING, new byte[1], signature.sign()));
    }

    private static byte[] name(String name) {
        if (!IP.matcher(name).matches()) {
            return of(DNS_NAME, name.getBytes(StandardCharsets.US_ASCII));
        }
        try {
            return of(IP_ADDRESS, InetAddress.getByName(name).getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(name + " looks like an IP address and is none", e);
        }
    }

    private static byte[] time(Instant time) {
        return of(UTC_TIME, UTC.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] of(int tag, byte[]... parts) {
        byte[] content = concat(parts);
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 5);
        out.write(tag);
        int length = content.length;
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
