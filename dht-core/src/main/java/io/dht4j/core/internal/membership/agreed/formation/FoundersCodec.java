package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.wire.ClusterSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Encodes and decodes proposals and lists of founders, for messages and for metadata. Numbers are big-endian; texts are
 * preceded by their length in 2 bytes. Stateless; safe for use by any number of threads.
 */
public final class FoundersCodec {

    private static final int MAX_SETTINGS = 32;

    private FoundersCodec() {}

    /** The bytes are no proposal and no list. */
    static final class MalformedListException extends Exception {

        private static final long serialVersionUID = 1;

        MalformedListException(String message) {
            super(message);
        }
    }

    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private interface Reading<T> {
        T from(DataInputStream in) throws IOException;
    }

    public static byte[] encode(Proposal proposal) {
        return bytes(out -> write(proposal, out));
    }

    public static byte[] encode(Founders founders) {
        return bytes(out -> {
            write(founders.cluster(), out);
            write(founders.proposal(), out);
            for (UUID incarnation : founders.incarnations()) {
                write(incarnation, out);
            }
        });
    }

    static Proposal proposal(byte[] bytes) throws MalformedListException {
        return parse(bytes, FoundersCodec::proposal);
    }

    static Founders founders(byte[] bytes) throws MalformedListException {
        return parse(bytes, in -> {
            UUID cluster = uuid(in);
            Proposal proposal = proposal(in);
            List<UUID> incarnations = new ArrayList<>();
            while (incarnations.size() < proposal.founders().size()) {
                incarnations.add(uuid(in));
            }
            return new Founders(cluster, proposal, incarnations);
        });
    }

    private static byte[] bytes(Writing content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.to(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static <T> T parse(byte[] bytes, Reading<T> content) throws MalformedListException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            T parsed = content.from(in);
            if (in.available() > 0) {
                throw new MalformedListException(in.available() + " bytes follow its end");
            }
            return parsed;
        } catch (IOException | IllegalArgumentException e) {
            // Records refuse values out of range.
            throw new MalformedListException(String.valueOf(e.getMessage() == null ? "it ends early" : e.getMessage()));
        }
    }

    private static void write(Proposal proposal, DataOutputStream out) throws IOException {
        out.writeShort(proposal.founders().size());
        for (Node node : proposal.founders()) {
            out.writeUTF(node.id().value());
            out.writeUTF(node.address());
            out.writeShort(node.weight());
        }
        Map<String, String> settings = proposal.settings().values();
        out.writeByte(settings.size());
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            out.writeUTF(setting.getKey());
            out.writeUTF(setting.getValue());
        }
    }

    private static Proposal proposal(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        if (count > Topology.MAX_NODES) {
            throw new IOException(count + " nodes, at most " + Topology.MAX_NODES);
        }
        List<Node> founders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            founders.add(new Node(new NodeId(in.readUTF()), in.readUTF(), in.readUnsignedShort()));
        }
        int size = in.readUnsignedByte();
        if (size > MAX_SETTINGS) {
            throw new IOException(size + " settings, at most " + MAX_SETTINGS);
        }
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            settings.put(in.readUTF(), in.readUTF());
        }
        return new Proposal(founders, new ClusterSettings(settings));
    }

    static void write(UUID id, DataOutputStream out) throws IOException {
        out.writeLong(id.getMostSignificantBits());
        out.writeLong(id.getLeastSignificantBits());
    }

    static UUID uuid(DataInputStream in) throws IOException {
        return new UUID(in.readLong(), in.readLong());
    }
}
