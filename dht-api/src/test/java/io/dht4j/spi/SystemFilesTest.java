package io.dht4j.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SystemFilesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lost+found",
                "aquota.user",
                "aquota.group",
                "quota.user",
                "quota.group",
                ".nfs0000000000a1",
                ".fuse_hidden0000001200000001",
                ".Trash-1000",
                ".directory",
                ".snapshot",
                ".snapshots",
                ".zfs",
                ".glusterfs",
                "@eaDir",
                ".gitkeep",
                ".DS_Store",
                "._data.mv",
                ".Spotlight-V100",
                ".fseventsd",
                ".Trashes",
                ".TemporaryItems",
                ".DocumentRevisions-V100",
                ".apdisk",
                ".ds_store",
                "Thumbs.db",
                "thumbs.db",
                "Desktop.ini",
                "desktop.ini",
                "DESKTOP.INI",
                "System Volume Information",
                "$RECYCLE.BIN",
                "$Recycle.Bin"
            })
    void namesOfSystemsAreRecognized(String name) {
        assertThat(SystemFiles.isOne(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"data.mv", "FORMAT", ".hidden", "LOST+FOUND", "@EADIR", ".snapshots.txt", "snapshot", ".git", ""
            })
    void namesOfApplicationsAreNot(String name) {
        assertThat(SystemFiles.isOne(name)).isFalse();
    }
}
