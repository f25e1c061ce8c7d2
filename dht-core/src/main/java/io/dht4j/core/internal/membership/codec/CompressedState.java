package io.dht4j.core.internal.membership.codec;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.TopologyLog;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A state within a command, in the zlib format: the command that continues a recovered state must fit into an entry of
 * the log for any number of partitions and members. Most row versions are equal then.
 */
final class CompressedState {

    private CompressedState() {}

    static byte[] encode(ClusterState state) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflated = new DeflaterOutputStream(out)) {
            deflated.write(StateCodec.encode(state));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static ClusterState decode(byte[] bytes) throws MalformedStateException {
        byte[] state;
        try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            state = in.readNBytes(TopologyLog.MAX_SNAPSHOT_BYTES + 1);
        } catch (IOException e) {
            throw new MalformedStateException("the state cannot be decompressed: " + e.getMessage());
        }
        if (state.length > TopologyLog.MAX_SNAPSHOT_BYTES) {
            throw new MalformedStateException("the state has more than " + TopologyLog.MAX_SNAPSHOT_BYTES + " bytes");
        }
        return StateCodec.decode(state);
    }
}
