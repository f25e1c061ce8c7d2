package io.dht4j.transport.http.internal.api;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.Ordering;
import io.dht4j.ReplicationPolicy;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.transport.http.internal.common.HttpText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request. Parsing is strict: every parameter must be known, appear at most once, and be
 * well-formed. Parameters are decoded as {@code application/x-www-form-urlencoded}: {@code %XX} is a byte and {@code +}
 * a space.
 */
final class Query {

    private static final String BASE64 = "_base64";
    private static final int MAX_DIGITS = 18;
    private static final int MAX_PARTITION_DIGITS = 7;

    /** The parameters that are times. */
    private static final Set<String> MILLIS = Set.of("timeout", "ttl", "lease", "duration");

    private final Map<String, byte[]> values;

    private Query(Map<String, byte[]> values) {
        this.values = values;
    }

    /**
     * Parses a query.
     *
     * @param raw the part after the question mark, still encoded; null if there is none
     * @param known the parameters that the resource has
     * @throws InvalidRequestException if a parameter is unknown, doubled or malformed
     */
    static Query parse(@Nullable String raw, List<String> known) {
        Map<String, byte[]> values = new HashMap<>();
        if (raw != null) {
            for (int at = 0; at <= raw.length(); ) {
                int ampersand = raw.indexOf('&', at);
                int end = ampersand < 0 ? raw.length() : ampersand;
                if (end > at) {
                    add(values, raw.substring(at, end), known);
                }
                at = end + 1;
            }
        }
        return new Query(values);
    }

    private static void add(Map<String, byte[]> values, String parameter, List<String> known) {
        int equals = parameter.indexOf('=');
        String name = equals < 0 ? parameter : parameter.substring(0, equals);
        String value = equals < 0 ? "" : parameter.substring(equals + 1);
        if (!known.contains(name)) {
            if (name.equals("ttl")) {
                throw new InvalidRequestException(ErrorCode.TTL_INVALID, "ttl is allowed for writes of values only");
            }
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "unknown parameter \"" + HttpText.shown(name) + "\"; this resource and method take"
                            + (known.isEmpty() ? " none" : ": " + String.join(", ", known)));
        }
        if (values.put(name, decode(name, value)) != null) {
            throw new InvalidRequestException(codeOf(name), name + " stands more than once");
        }
    }

    /**
     * Returns the key in parameter {@code id}, as text, or in {@code id_base64}, as any bytes.
     *
     * @throws InvalidRequestException if it is missing, doubled, malformed or not 1 to 4096 bytes long
     */
    Key id() {
        byte[] bytes = bytes("id")
                .orElseThrow(() -> new InvalidRequestException(
                        ErrorCode.KEY_INVALID,
                        "id is missing: give the key as id=..., percent-encoded, or as id_base64=..."));
        Key key = Key.of(bytes);
        if (values.containsKey("id") && !key.isText()) {
            throw new InvalidRequestException(
                    ErrorCode.KEY_INVALID, "id is not well-formed UTF-8: give keys of other bytes as id_base64=...");
        }
        return key;
    }

    /**
     * Returns a key that bounds a range. It may be any bytes.
     *
     * @return empty if the parameter is missing
     * @throws InvalidRequestException if it is not 1 to 4096 bytes long
     */
    Optional<Key> bound(String name) {
        Optional<byte[]> bytes = bytes(name);
        try {
            return bytes.map(Key::of);
        } catch (DhtException e) {
            throw new InvalidRequestException(codeOf(name), name + ": " + e.getMessage());
        }
    }

    /** Returns the bytes of a parameter that has a second form, in Base64. */
    private Optional<byte[]> bytes(String name) {
        byte[] plain = values.get(name);
        byte[] encoded = values.get(name + BASE64);
        if (encoded == null) {
            return Optional.ofNullable(plain);
        }
        if (plain != null) {
            throw new InvalidRequestException(codeOf(name), "give " + name + " or " + name + BASE64 + ", not both");
        }
        byte[] decoded = base64(encoded);
        if (decoded == null) {
            throw new InvalidRequestException(
                    codeOf(name), name + BASE64 + " is not well-formed Base64 of the alphabet for URLs (RFC 4648)");
        }
        return Optional.of(decoded);
    }

    /** Decodes Base64, with or without padding; null if no encoder would have produced it. */
    private static byte @Nullable [] base64(byte[] encoded) {
        try {
            byte[] decoded = Base64.getUrlDecoder().decode(encoded);
            Base64.Encoder encoder = Base64.getUrlEncoder();
            boolean isCanonical = Arrays.equals(encoder.encode(decoded), encoded)
                    || Arrays.equals(encoder.withoutPadding().encode(decoded), encoded);
            return isCanonical ? decoded : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Returns policy, timeout and time to live.
     *
     * @throws InvalidRequestException if one is out of its range
     */
    CallOptions callOptions(Cluster cluster) {
        CallOptions call = policy(cluster);
        OptionalLong timeout = number("timeout", 1, CallOptions.MAX_TIMEOUT.toMillis());
        if (timeout.isPresent()) {
            call = call.withTimeout(Duration.ofMillis(timeout.getAsLong()));
        }
        OptionalLong ttl = number("ttl", 1, CallOptions.MAX_TIME_TO_LIVE.toMillis());
        if (ttl.isPresent()) {
            call = call.withTimeToLive(Duration.ofMillis(ttl.getAsLong()));
        }
        Optional<Ordering> ordering = text("ordering").map(Query::ordering);
        return ordering.isPresent() ? call.withOrdering(ordering.get()) : call;
    }

    private static Ordering ordering(String text) {
        return switch (text) {
            case "real-time" -> Ordering.REAL_TIME;
            case "linearizable" -> Ordering.LINEARIZABLE;
            default ->
                throw new InvalidRequestException(
                        ErrorCode.BAD_REQUEST,
                        "ordering must be real-time or linearizable, not \"" + HttpText.shown(text) + "\"");
        };
    }

    private CallOptions policy(Cluster cluster) {
        Optional<String> both = text("replicas");
        if (both.isPresent()) {
            return bothCounts(both.get());
        }
        // The cluster compares them with the number of its nodes, in words that its callers in Java read too.
        OptionalLong from = number("from", 1, Topology.MAX_NODES);
        OptionalLong ack = number("ack", 1, Topology.MAX_NODES);
        CallOptions defaults = CallOptions.defaults();
        if (ack.isEmpty() && from.isEmpty()) {
            return defaults;
        }
        if (ack.isEmpty()) {
            return defaults.withPolicy(ReplicationPolicy.majorityOf((int) from.getAsLong()));
        }
        int replicas = from.isPresent()
                ? (int) from.getAsLong()
                : cluster.defaultPolicy().from();
        return defaults.withPolicy((int) ack.getAsLong(), replicas);
    }

    /** Reads both counts from one parameter, as older clients send them. */
    private CallOptions bothCounts(String text) {
        if (values.containsKey("ack") || values.containsKey("from")) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID, "give replicas=ACK/FROM, or ack and from, not both");
        }
        int slash = text.indexOf('/');
        if (slash >= 0) {
            OptionalLong ack = inRange(text.substring(0, slash), 1, Topology.MAX_NODES);
            OptionalLong from = inRange(text.substring(slash + 1), 1, Topology.MAX_NODES);
            if (ack.isPresent() && from.isPresent()) {
                return CallOptions.defaults().withPolicy((int) ack.getAsLong(), (int) from.getAsLong());
            }
        }
        throw new InvalidRequestException(
                ErrorCode.POLICY_INVALID,
                "replicas must be ACK/FROM, two whole numbers from 1 to " + Topology.MAX_NODES + ", not \""
                        + HttpText.shown(text) + "\"");
    }

    /**
     * Returns a whole number in decimal digits.
     *
     * @return empty if the parameter is missing
     * @throws InvalidRequestException if it is malformed or not {@code least} to {@code most}
     */
    OptionalLong number(String name, long least, long most) {
        byte[] bytes = values.get(name);
        if (bytes == null) {
            return OptionalLong.empty();
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        OptionalLong number = inRange(text, least, most);
        if (number.isEmpty()) {
            throw new InvalidRequestException(
                    codeOf(name),
                    name + " must be a whole number" + (MILLIS.contains(name) ? " of milliseconds" : "") + " from "
                            + least + " to " + most + ", not \"" + HttpText.shown(text) + "\"");
        }
        return number;
    }

    /**
     * Returns a whole number of 64 bits, perhaps with a sign.
     *
     * @return empty if the parameter is missing
     * @throws InvalidRequestException if it is malformed or out of range
     */
    OptionalLong signed(String name) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        String digits = text.get().startsWith("-") ? text.get().substring(1) : text.get();
        try {
            if (HttpText.allDigits(digits)) {
                return OptionalLong.of(Long.parseLong(text.get()));
            }
        } catch (NumberFormatException e) {
            // Falls through to the message, which shows the range.
        }
        throw new InvalidRequestException(
                codeOf(name),
                name + " must be a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE + ", not \""
                        + HttpText.shown(text.get()) + "\"");
    }

    /** Returns a number in decimal digits; empty for any other text and for numbers out of this range. */
    private static OptionalLong inRange(String text, long least, long most) {
        if (text.isEmpty() || text.length() > MAX_DIGITS || !HttpText.allDigits(text)) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(text);
        return number >= least && number <= most ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /**
     * Returns the numbers of partitions, separated by commas.
     *
     * @return none if the parameter is missing
     * @throws InvalidRequestException if one is malformed
     */
    Set<Integer> partitions() {
        Set<Integer> partitions = new HashSet<>();
        text("partition").ifPresent(text -> {
            for (String each : text.split(",", -1)) {
                if (each.isEmpty() || each.length() > MAX_PARTITION_DIGITS || !HttpText.allDigits(each)) {
                    throw new InvalidRequestException(
                            ErrorCode.BAD_REQUEST,
                            "partition must be whole numbers with commas between, not \"" + HttpText.shown(text)
                                    + "\"");
                }
                partitions.add(Integer.parseInt(each));
            }
        });
        return partitions;
    }

    /**
     * Returns a version as {@code Dht-Version} shows it.
     *
     * @return empty if the parameter is missing
     * @throws InvalidRequestException if it is malformed
     */
    Optional<Version> version(String name) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (HttpText.allDigits(text.get())) {
                return Optional.of(new Version(Long.parseUnsignedLong(text.get())));
            }
        } catch (NumberFormatException e) {
            // Falls through to the message, which shows the expected form.
        }
        throw new InvalidRequestException(
                codeOf(name),
                name + " must be a version as Dht-Version shows it, not \"" + HttpText.shown(text.get()) + "\"");
    }

    /** Returns a text; malformed UTF-8 becomes replacement characters. */
    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name)).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /**
     * Returns a text in well-formed UTF-8.
     *
     * @return empty if the parameter is missing
     * @throws InvalidRequestException if it is not well-formed
     */
    Optional<String> wellFormed(String name) {
        Optional<String> text = text(name);
        if (text.isPresent() && !Arrays.equals(text.get().getBytes(StandardCharsets.UTF_8), values.get(name))) {
            throw new InvalidRequestException(
                    codeOf(name), "the name of a map must be well-formed UTF-8; " + name + " is not");
        }
        return text;
    }

    /**
     * Refuses parameters that would have no effect.
     *
     * @param what the subject that accepts only these parameters
     * @throws InvalidRequestException if there is another one
     */
    void requireOnly(String what, List<String> taken) {
        values.keySet().stream()
                .filter(name -> !taken.contains(name))
                .sorted()
                .findFirst()
                .ifPresent(name -> {
                    throw new InvalidRequestException(
                            codeOf(name), name + " has no effect: " + what + " takes " + String.join(", ", taken));
                });
    }

    private static ErrorCode codeOf(String name) {
        return switch (name) {
            case "id", "id_base64" -> ErrorCode.KEY_INVALID;
            case "ack", "from", "replicas" -> ErrorCode.POLICY_INVALID;
            case "ttl" -> ErrorCode.TTL_INVALID;
            case "timeout" -> ErrorCode.TIMEOUT_INVALID;
            case "map",
                    "delta",
                    "expected",
                    "number",
                    "lease",
                    "first",
                    "count",
                    "duration",
                    "ordering",
                    "change",
                    "node",
                    "address",
                    "public_address",
                    "zone",
                    "weight",
                    "rate",
                    "replication_factor",
                    "accept_data_loss",
                    "lost",
                    "voters" -> ErrorCode.BAD_REQUEST;
            default -> ErrorCode.SCAN_INVALID;
        };
    }

    private static byte[] decode(String name, String raw) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                boolean complete = i + 2 < raw.length();
                int high = complete ? hexDigit(raw.charAt(i + 1)) : -1;
                int low = complete ? hexDigit(raw.charAt(i + 2)) : -1;
                if (high < 0 || low < 0) {
                    throw new InvalidRequestException(
                            codeOf(name), name + ": the % at character " + i + " is not followed by two hex digits");
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else if (c == '+') {
                bytes.write(' ');
            } else if (c > ' ' && c < 0x7F) {
                bytes.write(c);
            } else {
                throw new InvalidRequestException(
                        codeOf(name), name + ": character " + i + " must be percent-encoded as UTF-8");
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the value of an ASCII digit only, unlike {@link Character#digit}. */
    private static int hexDigit(char c) {
        return c < 0x7F ? Character.digit(c, 16) : -1;
    }
}
