package io.dht4j.server.backup;

import io.dht4j.Version;
import java.time.Instant;

/**
 * A summary of a snapshot.
 *
 * @param cut its version
 * @param time the time of that version, by the cluster's clocks
 * @param entries how many entries it has
 * @param bytes how many bytes their keys and values have
 * @param files how many data files it has
 * @param fileBytes how many bytes these have
 */
public record SnapshotInfo(Version cut, Instant time, long entries, long bytes, int files, long fileBytes) {

    static SnapshotInfo of(Manifest manifest) {
        return new SnapshotInfo(
                manifest.cut(),
                manifest.time(),
                manifest.entries(),
                manifest.bytes(),
                manifest.files().size(),
                manifest.fileBytes());
    }
}
