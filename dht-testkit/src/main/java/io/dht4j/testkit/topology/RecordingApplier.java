package io.dht4j.testkit.topology;

import io.dht4j.spi.TopologyLog.Applier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A state machine whose state is all commands that it has applied, by index. It reports violations of a log to the
 * {@link AgreementCheck} of its cluster. Confined to the thread of its virtual environment.
 */
public final class RecordingApplier implements Applier {

    private final AgreementCheck check;
    private final String name;
    private final NavigableMap<Long, String> commands = new TreeMap<>();
    private long reached;
    private boolean ended;
    private boolean leads;
    private int restores;
    private boolean failing;

    RecordingApplier(AgreementCheck check, String name) {
        this.check = check;
        this.name = name;
    }

    /**
     * Returns the applied commands.
     *
     * @return an unmodifiable view, by index
     */
    public NavigableMap<Long, String> commands() {
        return Collections.unmodifiableNavigableMap(commands);
    }

    /**
     * Returns how often a snapshot was restored.
     *
     * @return 0 or more
     */
    public int restores() {
        return restores;
    }

    /**
     * Returns whether the log has reported that its member leads.
     *
     * @return as last reported; false before
     */
    public boolean leads() {
        return leads;
    }

    /** Makes the next command fail. */
    public void failNext() {
        failing = true;
    }

    /** Forbids all later calls. */
    void end() {
        ended = true;
    }

    private void begin(String what, long index) {
        check.require(!ended, name + " " + what + " after its end");
        check.require(index > reached, name + " " + what + " " + index + " after " + reached);
    }

    @Override
    public void apply(long index, byte[] command) {
        begin("applies", index);
        if (failing) {
            failing = false;
            ended = true;
            throw new IllegalStateException("this applier was made to fail");
        }
        String text = new String(command, StandardCharsets.UTF_8);
        check.applied(name, commands.isEmpty() ? 0 : commands.lastKey(), index, text);
        reached = index;
        commands.put(index, text);
    }

    @Override
    public byte[] snapshot() {
        check.require(!ended, name + " takes a snapshot after its end");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(commands.size());
            for (var command : commands.entrySet()) {
                byte[] text = command.getValue().getBytes(StandardCharsets.UTF_8);
                out.writeLong(command.getKey());
                out.writeInt(text.length);
                out.write(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public void restore(long index, byte[] snapshot) {
        begin("restores", index);
        commands.clear();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(snapshot))) {
            for (int left = in.readInt(); left > 0; left--) {
                long at = in.readLong();
                commands.put(at, new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reached = index;
        restores++;
        check.restored(name, index, commands);
    }

    @Override
    public void leadershipChanged(boolean now) {
        check.require(!ended, name + " hears of leadership after its end");
        check.require(now != leads, name + " hears twice that it " + (now ? "leads" : "does not lead"));
        leads = now;
    }
}
