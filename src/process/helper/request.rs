//! The request to a helper to start a program, and how it is sent.
//!
//! It is sent over the socket and not on the command line: an agent that ends processes by a word in their command
//! lines (`pkill -f`) must not find the helper by the arguments of its job.

use super::super::job_marker::JobMarker;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// Standard input, output and error, and one more.
const DESCRIPTORS: usize = 4;
/// The size of the length that precedes the request.
const LENGTH: usize = size_of::<u64>();

/// A program, and how to start it. None of the strings contains a NUL byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::process) struct StartRequest {
    pub(in crate::process) marker: JobMarker,
    /// The time between SIGTERM and SIGKILL for processes that the program leaves behind.
    pub(in crate::process) leak_grace: Duration,
    pub(in crate::process) directory: PathBuf,
    pub(in crate::process) program: PathBuf,
    pub(in crate::process) args: Vec<OsString>,
}

impl StartRequest {
    /// All strings, each followed by a NUL.
    fn to_bytes(&self) -> Vec<u8> {
        let (marker, grace) = (self.marker.to_number().to_string(), self.leak_grace.as_millis().to_string());
        let parts: [&OsStr; 4] =
            [marker.as_ref(), grace.as_ref(), self.directory.as_ref(), self.program.as_ref()];
        let mut bytes = Vec::new();
        for part in parts.into_iter().chain(self.args.iter().map(OsString::as_os_str)) {
            bytes.extend_from_slice(part.as_bytes());
            bytes.push(0);
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut parts = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse::<u64>().ok();
        let (marker, grace) = (number()?, number()?);
        let mut text = || parts.next().map(|part| OsString::from_vec(part.to_vec()));
        Some(Self {
            marker: JobMarker::from_number(marker),
            leak_grace: Duration::from_millis(grace),
            directory: text()?.into(),
            program: text()?.into(),
            args: std::iter::from_fn(text).collect(),
        })
    }
}

/// Sends a request. The descriptors go along with its first bytes: standard input, output and error of the program, and a file that it
/// should hold open.
pub(super) fn send(
    mut line: &UnixStream,
    request: &StartRequest,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let request = request.to_bytes();
    let length = u64::try_from(request.len()).map_err(io::Error::other)?.to_ne_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    let fits = along.push(SendAncillaryMessage::ScmRights(descriptors));
    debug_assert!(fits, "there are at most {DESCRIPTORS} descriptors");
    let sent = rustix::net::sendmsg(line, &[IoSlice::new(&length)], &mut along, SendFlags::empty())?;
    line.write_all(&length[sent..])?;
    line.write_all(&request)
}

/// Receives a request and its descriptors. It waits until they arrive or the connection closes.
pub(super) fn receive(mut line: &UnixStream) -> io::Result<(StartRequest, Vec<OwnedFd>)> {
    let mut length = [0; LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(line, &mut [IoSliceMut::new(&mut length)], &mut along, RecvFlags::empty())
    })?;
    if received.bytes == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut descriptors = Vec::new();
    for message in along.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    line.read_exact(&mut length[received.bytes..])?;
    let mut request = Vec::new();
    line.take(u64::from_ne_bytes(length)).read_to_end(&mut request)?;
    let request =
        StartRequest::from_bytes(&request).ok_or_else(|| io::Error::from(ErrorKind::InvalidData))?;
    Ok((request, descriptors))
}

#[cfg(test)]
mod tests {
    use super::super::super::job_marker::Tag;
    use super::*;
    use std::io::{Seek, SeekFrom};
    use std::os::fd::AsFd;

    #[test]
    fn a_request_of_megabytes_and_its_descriptors_arrive_unchanged() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let request = StartRequest {
            marker: JobMarker::new(Tag::new("x")),
            leak_grace: Duration::from_millis(300),
            directory: "/".into(),
            program: "/bin/sh".into(),
            args: vec![OsString::new(), OsString::from_vec(vec![b'\xff'; 3_000_000]), "-c".into(), "".into()],
        };
        let mut file = tempfile::tempfile().unwrap();
        let sent = request.clone();
        let descriptor = file.try_clone().unwrap();
        let sender = std::thread::spawn(move || {
            let descriptors = [descriptor.as_fd(); DESCRIPTORS];
            send(&ours, &sent, &descriptors).unwrap();
        });
        let (received, descriptors) = receive(&theirs).unwrap();
        sender.join().unwrap();
        assert!(received == request);
        assert_eq!(descriptors.len(), DESCRIPTORS);
        std::fs::File::from(descriptors.into_iter().last().unwrap()).write_all(b"seen").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "seen");
    }

    #[test]
    fn a_connection_that_closes_before_a_request_is_complete_is_an_error() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(ours);
        assert_eq!(receive(&theirs).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(&9_u64.to_ne_bytes()).unwrap();
        ours.write_all(b"1\0").unwrap();
        drop(ours);
        assert_eq!(receive(&theirs).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
